import { lazy, useState, type ComponentType } from "react";

/** A page whose code loads on demand. If `fetch` has already loaded it, it renders without delay. */
export function lazyPage<Props extends object, Module extends { default: ComponentType<Props> }>(
  load: () => Promise<Module & { default: ComponentType<Props> }>,
) {
  let here: ComponentType<Props> | undefined;
  const fetch = async () => {
    const module = await load();
    here = module.default;
    return module;
  };
  const Later: ComponentType<Props> = lazy(fetch);
  function Page(props: Props) {
    const [Here] = useState(() => here ?? Later);
    return <Here {...props} />;
  }
  return { fetch, Page };
}
