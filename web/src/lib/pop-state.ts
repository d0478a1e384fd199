/** A listener for Back and Forward that is called before the router's, which is registered after this module. */
export const popState: { before?: ((event: PopStateEvent) => void) | undefined } = {};

addEventListener("popstate", (event) => popState.before?.(event));
