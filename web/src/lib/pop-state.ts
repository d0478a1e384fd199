/** A listener for Back and Forward that runs before the router's listener, which is registered after this module. */
export const popState: { before?: ((event: PopStateEvent) => void) | undefined } = {};

addEventListener("popstate", (event) => popState.before?.(event));
