import { useState } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { isApiError, type Video } from "../api/client";
import { useSession } from "../api/queries";
import { useAction, useOnce } from "../api/use-action";
import { explain } from "../lib/forms";
import { number } from "../lib/format";
import { navigate, usePathname } from "../lib/navigation";
import { paths } from "../lib/paths";
import { Button, buttonLook } from "../ui/button";
import { cx } from "../ui/class-names";
import { Icon, type IconName } from "../ui/icon";
import { MenuButton } from "../ui/menu-button";
import { errorToast, toast } from "../ui/toast";
import { setLike, videoQuery } from "./queries";

/** Makes three buttons fit side by side on a phone. */
const narrow = "whitespace-nowrap max-sm:gap-1.5 max-sm:px-2";

export function LikeButton({ video }: { video: Video }) {
  const { user, pending } = useSession();
  const pathname = usePathname();
  const client = useQueryClient();
  const { queryKey } = videoQuery(video.id);

  const like = useAction({
    mutationFn: (liked: boolean) => setLike(video.id, liked),
    onMutate: async (liked) => {
      await client.cancelQueries({ queryKey });
      const before = client.getQueryData(queryKey);
      client.setQueryData(
        queryKey,
        (v) => v && { ...v, liked, like_count: Math.max(0, v.like_count + (liked ? 1 : -1)) },
      );
      return before;
    },
    onSuccess: (answer) => {
      client.setQueryData(queryKey, (v) => v && { ...v, ...answer });
      toast({ title: answer.liked ? "Added to favorites!" : "Removed from favorites" });
    },
    onError: (error, _liked, before) => {
      client.setQueryData(queryKey, before);
      if (isApiError(error, "sign_in_required")) navigate(paths.auth(pathname));
      else errorToast(explain(error));
    },
  });

  const change = useOnce(like);

  function press() {
    // While the session is still loading, the server decides, and sends visitors to the sign-in page.
    if (!user && !pending) navigate(paths.auth(pathname));
    else change(!video.liked);
  }

  return (
    <button
      type="button"
      aria-pressed={video.liked}
      onClick={press}
      className={buttonLook(
        "line",
        cx("max-sm:flex-1", narrow, video.liked && "border-transparent! bg-clay-wash! text-clay!"),
      )}
    >
      <Icon name="heart" filled={video.liked} />
      <span className="tabular-nums">{number(video.like_count)}</span>
      <span>{video.liked ? "Liked" : "Like"}</span>
    </button>
  );
}

export function ShareButtons({ title }: { title: string }) {
  const [copied, setCopied] = useState(false);
  const pathname = usePathname();
  const url = location.origin + pathname;
  const text = `Check out this camp video: ${title}`;

  async function copy() {
    try {
      await navigator.clipboard.writeText(url);
    } catch {
      toast({ title: "Copy failed", description: "Please copy the link manually.", destructive: true });
      return;
    }
    toast({ title: "Link copied!", description: "Video link copied to clipboard." });
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  }

  return (
    <>
      <div className="max-sm:flex-1">
        <MenuButton
          className={buttonLook("line", `w-full ${narrow}`)}
          face={
            <>
              <Icon name="share" />
              Share
            </>
          }
        >
          {(close) => (
            <ul className="-m-2">
              <ShareLink
                icon="mail"
                href={`mailto:?subject=${encodeURIComponent(title)}&body=${encodeURIComponent(`${text}\n${url}`)}`}
                onClick={close}
              >
                Email
              </ShareLink>
              <ShareLink
                icon="message"
                href={`https://wa.me/?text=${encodeURIComponent(`${text} ${url}`)}`}
                onClick={close}
                newTab
              >
                WhatsApp
              </ShareLink>
              {"share" in navigator && (
                <li>
                  <button
                    type="button"
                    className={shareLook}
                    onClick={() => {
                      close();
                      // Rejects when the person cancels.
                      navigator.share({ title, text, url }).catch(() => undefined);
                    }}
                  >
                    <Icon name="share" />
                    Other apps
                  </button>
                </li>
              )}
            </ul>
          )}
        </MenuButton>
      </div>
      <Button look="line" icon={copied ? "check" : "link"} onClick={copy} className={`max-sm:flex-1 ${narrow}`}>
        {copied ? "Copied!" : "Copy link"}
      </Button>
    </>
  );
}

const shareLook =
  "flex min-h-tap w-full items-center gap-3 rounded-sm px-3 text-start text-ink no-underline hover:bg-sunk";

type ShareLinkProps = { icon: IconName; href: string; onClick: () => void; newTab?: boolean; children: string };

const ShareLink = ({ icon, href, onClick, newTab = false, children }: ShareLinkProps) => (
  <li>
    <a href={href} onClick={onClick} className={shareLook} {...(newTab ? { target: "_blank", rel: "noreferrer" } : {})}>
      <Icon name={icon} />
      {children}
    </a>
  </li>
);
