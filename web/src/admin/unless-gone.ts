import { isApiError } from "../api/client";

/** Deletes; when somebody was quicker it is gone, as was wanted. */
export async function unlessGone(deleting: Promise<unknown>): Promise<void> {
  try {
    await deleting;
  } catch (error) {
    if (!isApiError(error, "not_found")) throw error;
  }
}
