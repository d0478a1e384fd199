import { isApiError } from "../../api/client";

/** Deletes a record. If somebody else has already deleted it, that is not an error. */
export async function ignoreNotFound(deleting: Promise<unknown>): Promise<void> {
  await nullIfNotFound(deleting);
}

/** The current record, or null if it was deleted. */
export async function nullIfNotFound<Row>(reading: Promise<Row>): Promise<Row | null> {
  try {
    return await reading;
  } catch (error) {
    if (!isApiError(error, "not_found")) throw error;
    return null;
  }
}
