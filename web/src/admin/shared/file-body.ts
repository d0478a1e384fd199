/** The body of a request that sends a file as it is, which the generated types do not know. */
export const fileBody = (file: File) => ({ body: file as never, bodySerializer: () => file });
