import { laterDialogs } from "../shared/later-dialogs";

const dialogs = laterDialogs(() => import("./dialogs"));

export const useDialogsSoon = dialogs.useSoon;
export const DeleteDialog = dialogs.dialog((parts) => parts.DeleteDialog);
export const EditDrawer = dialogs.dialog((parts) => parts.EditDrawer);
export const GalleryDialog = dialogs.dialog((parts) => parts.GalleryDialog);
export const VideoDrawer = dialogs.dialog((parts) => parts.VideoDrawer);
