import { isApiError } from "../../api/client";

/** Deletes; when somebody was quicker it is gone, as was wanted. */
export async function ignoreNotFound(deleting: Promise<unknown>): Promise<void> {
  await nullIfNotFound(deleting);
}

/** The record as it is now, or null when it was deleted. */
export async function nullIfNotFound<Row>(reading: Promise<Row>): Promise<Row | null> {
  try {
    return await reading;
  } catch (error) {
    if (!isApiError(error, "not_found")) throw error;
    return null;
  }
}
