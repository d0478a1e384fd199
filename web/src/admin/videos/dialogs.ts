export { DeleteDialog } from "./delete-dialog";
export { EditDrawer } from "./edit-drawer";
export { GalleryDialog } from "./gallery-dialog";
export { VideoDrawer } from "./video-drawer";
