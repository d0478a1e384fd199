import { useSite } from "../api/queries";
import { Link } from "../lib/navigation";
import { paths } from "../lib/paths";
import { splitScripts } from "../ui/two-scripts";

export const LogoMark = ({ className }: { className?: string }) => (
  <svg viewBox="0 0 40 40" aria-hidden="true" className={className}>
    <path
      className="fill-pine"
      d="M20 1.500 28.500 13l-4 .7L33 24.500l-5 .9L36.500 36 3.500 36 12 25.400l-5-.9 8.500-10.800-4-.7z"
    />
    <path className="fill-paper" d="M20 19.500 28.200 36H11.800z" />
    <path
      className="fill-amber"
      d="M20 36c-3.600 0-5-2.200-4.500-4.700.4-2 2-2.800 2.400-5.300 1.500.8 2 2 2 2.900.8-.9 1-2 .8-3.200 2.700 1.500 4 4 3.800 6.200-.2 2.500-1.800 4.100-4.500 4.100z"
    />
  </svg>
);

/** The camp's logo and name. The name is dropped when the text is so large that only one letter per line would fit. */
export function Logo() {
  const site = useSite();
  const logo = site?.pictures.logo;
  const [name, yiddish] = splitScripts(site?.site_name ?? "");
  return (
    <Link
      to={paths.home}
      className="inline-flex min-h-tap min-w-0 items-center xl:min-w-min gap-2.5 font-head leading-none text-ink no-underline"
    >
      {logo ? (
        // A wide logo gets lower, so that the name keeps its space.
        <img
          src={logo.url}
          alt=""
          width={logo.width}
          height={logo.height}
          className="h-9.5 w-auto max-w-[min(6rem,18vw)] shrink-0 object-contain"
        />
      ) : (
        <LogoMark className="size-[min(2.375rem,11vw)] shrink-0" />
      )}
      <span className="max-h-[calc((100vw-14rem)*99)] min-w-0 overflow-clip xl:min-w-min text-[min(clamp(1rem,0.6rem+2.2vw,1.2rem),6.2vw)] leading-tight">
        {name || <span className="sr-only">Home</span>}
        {yiddish && (
          <bdi lang="yi" dir="rtl" className="block text-xs text-muted">
            {yiddish}
          </bdi>
        )}
      </span>
    </Link>
  );
}
