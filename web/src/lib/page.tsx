import { useEffect } from "react";
import { useSite } from "../api/queries";
import { splitScripts } from "../ui/two-scripts";
import { usePathname } from "./navigation";

type Page = { title: string; description: string; image?: string | null };

/** Updates the browser title and social tags on each page. The server wrote them for the first one. */
export function PageMeta({ title, description, image }: Page) {
  const site = useSite();
  const pathname = usePathname();
  const full = site ? `${title} - ${splitScripts(site.site_name)[0]}` : title;

  useEffect(() => {
    document.title = full;
    setMeta("name", "description", description);
    setMeta("property", "og:title", full);
    setMeta("property", "og:description", description);
    setMeta("property", "og:url", location.origin + pathname);
    setMeta("name", "twitter:title", full);
    setMeta("name", "twitter:description", description);
    if (image) {
      const absolute = new URL(image, location.origin).href;
      setMeta("property", "og:image", absolute);
      setMeta("name", "twitter:image", absolute);
    }
  }, [full, description, image, pathname]);

  return null;
}

function setMeta(attribute: "name" | "property", key: string, content: string) {
  let tag = document.head.querySelector(`meta[${attribute}="${key}"]`);
  if (!tag) {
    tag = document.createElement("meta");
    tag.setAttribute(attribute, key);
    document.head.append(tag);
  }
  tag.setAttribute("content", content);
}
