export { DeleteUser } from "./delete-user";
export { EditUser } from "./edit-user";
export { ImportDialog } from "./import-dialog";
export { RecordDialog } from "./record-dialog";
export { UserDrawer } from "./user-drawer";
