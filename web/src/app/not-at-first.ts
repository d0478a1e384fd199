import "../ui/more-icons";

export { Toaster } from "../ui/toaster";
export { Account } from "./account";
export { Footer } from "./footer";
export { Menu } from "./menu";
