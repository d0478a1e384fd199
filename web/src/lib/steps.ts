/** Asked of Back and Forward before the router is told, whose listener comes after this one. */
export const steps: { before?: ((event: PopStateEvent) => void) | undefined } = {};

addEventListener("popstate", (event) => steps.before?.(event));
