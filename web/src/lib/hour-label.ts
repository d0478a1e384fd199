import { campTime } from "./format";

/** 10 as "10:00 AM". */
export const hourLabel = (hour: number) => campTime(`2000-01-01T${String(hour).padStart(2, "0")}:00:00Z`, "UTC");
