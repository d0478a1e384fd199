import { useSite } from "../api/queries";
import { Link } from "../lib/navigation";
import { PageMeta } from "../lib/page";
import { paths } from "../lib/paths";
import { buttonLook } from "../ui/button";
import { cx } from "../ui/class-names";
import { Icon, type IconName } from "../ui/icon";
import { splitScripts } from "../ui/two-scripts";
import { story } from "./story";
import "../ui/more-icons";

type Offer = { icon: IconName; title: string; text: string; to?: string; action?: string };

const offers: Offer[] = [
  {
    icon: "film",
    title: "Daily Videos",
    text: "A new video every night: learning, games, trips, and plenty of faces to look for.",
    to: paths.currentVideos,
    action: "Watch this year",
  },
  {
    icon: "horn",
    title: "Live Updates",
    text: "Short announcements during the day: a late bus, Visiting Day times, a storm that passed.",
    to: paths.updates,
    action: "Read the updates",
  },
  {
    icon: "talk",
    title: "Community",
    text: "Parents, grandparents and alumni watch together and leave a kind word.",
    to: paths.faq,
    action: "How it works",
  },
  {
    icon: "calendar",
    title: "Complete Archive",
    text: "Every summer in one place. Search for a song, a trip or a siyum from years ago.",
    to: paths.pastVideos,
    action: "Open the Gallery",
  },
];

export default function About() {
  const site = useSite();
  const [name] = splitScripts(site?.site_name ?? "our camp");
  return (
    <>
      <PageMeta
        title="About"
        description="Who we are: a boys' camp in the mountains, its story in Yiddish, and what you will find on this site."
      />
      <Top name={name} />

      <section aria-labelledby="story" className="wrap pt-section">
        <div lang="yi" dir="rtl">
          <h2 id="story" className="text-3xl">
            ווער מיר זענען
          </h2>
          <div className="mt-8 grid gap-12 md:gap-16">
            {story.map(({ title, text, picture }, i) => (
              <article key={title} className="grid items-center gap-x-12 gap-y-5 md:grid-cols-2 lg:gap-x-16">
                <img
                  src={picture}
                  alt=""
                  width={640}
                  height={360}
                  loading="lazy"
                  className={cx("aspect-video w-full rounded-lg object-cover", i % 2 === 1 && "md:order-last")}
                />
                <div>
                  <h3 className="text-2xl">{title}</h3>
                  <p className="mt-3 max-w-[36em] text-[1.1875rem] leading-[1.75]">{text}</p>
                </div>
              </article>
            ))}
          </div>
        </div>
      </section>

      <section aria-labelledby="offer" className="wrap pt-section">
        <h2 id="offer">What We Offer</h2>
        <ul className="mt-6 grid grid-cols-[minmax(0,1fr)] gap-x-6 gap-y-4 sm:grid-cols-2 lg:grid-cols-4">
          {offers.map(({ icon, title, text, to, action }) => (
            <li key={title} className="sheet flex flex-col p-5">
              <span className="mb-4 grid size-12 place-items-center rounded-full bg-pine-wash text-pine">
                <Icon name={icon} className="size-6" />
              </span>
              <h3>{title}</h3>
              <p className="mt-1.5 text-muted">{text}</p>
              {to && (
                <Link to={to} className={buttonLook("quiet", "-ms-2.5 mt-auto self-start pt-3")}>
                  {action}
                  <Icon name="next" className="size-[1em]" />
                </Link>
              )}
            </li>
          ))}
        </ul>
      </section>

      <section className="wrap pt-section">
        <div className="flex flex-wrap items-center justify-between gap-x-8 gap-y-4 rounded-lg bg-pine-wash px-5 py-6 sm:px-8">
          <p className="font-head text-xl">Questions about camp?</p>
          <Link to={paths.contact} className={buttonLook()}>
            Contact Us
          </Link>
        </div>
      </section>
    </>
  );
}

const Top = ({ name }: { name: string }) => (
  <section aria-labelledby="about" className="relative isolate overflow-hidden bg-[oklch(0.3_0.04_230)]">
    <img
      src="/art/hero-dawn.svg"
      alt=""
      width={1440}
      height={900}
      fetchPriority="high"
      className="absolute inset-0 -z-1 size-full max-w-none object-cover object-[26%_60%] md:object-[50%_60%]"
    />
    {/* In the dark theme, the picture is darkened. */}
    <div className="absolute inset-0 -z-1 bg-[light-dark(transparent,oklch(0.19_0.03_225/0.68))]" />
    <div className="wrap min-h-104 pt-8 text-[light-dark(oklch(0.25_0.035_200),oklch(0.955_0.014_86))] md:min-h-144 md:pt-14">
      <h1 id="about" className="max-w-[9.5em] text-[length:var(--text-4xl)] leading-[1.05]">
        About {name}
      </h1>
      <p className="mt-3 max-w-[34em] text-lg text-balance">
        The summer belongs to the boys. Here, everyone at home gets to see it.
      </p>
    </div>
  </section>
);

/** The page without its story. */
export const Shell = () => <Top name={splitScripts(useSite()?.site_name ?? "")[0]} />;
