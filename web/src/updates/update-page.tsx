import { useQuery } from "@tanstack/react-query";
import { isApiError } from "../api/client";
import { useNow } from "../lib/clock";
import { Link, useParams } from "../lib/navigation";
import { PageMeta } from "../lib/page";
import { paths } from "../lib/paths";
import { buttonLook } from "../ui/button";
import { directionOf } from "../ui/direction";
import { Icon } from "../ui/icon";
import { ErrorState } from "../ui/states";
import { updateQuery } from "./queries";
import { isRestricted, Restricted } from "./restricted";
import { Age, UpdateBadges, UpdatesSkeleton, UpdateText } from "./update-item";
import "../ui/more-icons";

export default function Update() {
  const { id = "" } = useParams();
  const { data: update, error, isError, isFetching, refetch } = useQuery(updateQuery(id));
  const now = useNow();

  return (
    <div className="wrap pt-2">
      <Link
        to={paths.updates}
        className="my-2 inline-flex min-h-tap items-center gap-1.5 font-medium text-pine no-underline hover:underline"
      >
        <Icon name="previous" />
        All updates
      </Link>
      {isRestricted(error) ? (
        <>
          <PageMeta title="Live Updates" description="An update for camp families." />
          <h1 className="mb-5">Live Updates</h1>
          <Restricted error={error} back={paths.update(id)} />
        </>
      ) : isApiError(error) && [400, 404, 422].includes(error.status) ? (
        <Gone title="Update not found" text="Please check the link, or look for it in all updates." />
      ) : update?.withdrawn ? (
        <Gone title="This update was removed" text="The camp removed this update. See all current updates instead." />
      ) : update ? (
        <article className="max-w-[42rem]">
          <PageMeta title={update.title} description={update.message} />
          <div className="mt-3">
            <UpdateBadges update={update} now={now} />
          </div>
          <h1 dir={directionOf(update.title)} className="text-2xl">
            {update.title}
          </h1>
          <Age update={update} now={now} className="mt-2 block text-sm text-muted" />
          <div className="mt-4 border-t border-line pt-3 text-lg">
            <UpdateText update={update} />
          </div>
        </article>
      ) : isError ? (
        <>
          <h1 className="sr-only">Live Updates</h1>
          <ErrorState title="The update could not be loaded" error={error} retrying={isFetching} onRetry={refetch} />
        </>
      ) : (
        <>
          <h1 className="sr-only">Live Updates</h1>
          <UpdatesSkeleton rows={1} />
        </>
      )}
    </div>
  );
}

const Gone = ({ title, text }: { title: string; text: string }) => (
  <div className="grid justify-items-center gap-4 pt-8 text-center">
    <PageMeta title={title} description={text} />
    <span className="grid size-16 place-items-center rounded-full bg-pine-wash text-pine">
      <Icon name="horn" className="size-8" />
    </span>
    <h1 className="text-2xl">{title}</h1>
    <p className="max-w-[52ch] text-muted">{text}</p>
    <Link to={paths.updates} className={buttonLook()}>
      All updates
    </Link>
  </div>
);
