import { isApiError } from "../../api/client";

/** Deletes a record; it is no error when somebody else has deleted it already. */
export async function ignoreNotFound(deleting: Promise<unknown>): Promise<void> {
  await nullIfNotFound(deleting);
}

/** The current record, or null when it was deleted. */
export async function nullIfNotFound<Row>(reading: Promise<Row>): Promise<Row | null> {
  try {
    return await reading;
  } catch (error) {
    if (!isApiError(error, "not_found")) throw error;
    return null;
  }
}
