/** The body of a request that sends a file unchanged, which the generated types do not support. */
export const fileBody = (file: File) => ({ body: file as never, bodySerializer: () => file });
