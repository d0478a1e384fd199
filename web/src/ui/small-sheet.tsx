import type { ReactNode } from "react";
import { cx } from "./class-names";

type Props = { title?: ReactNode; scene?: { picture: string; text: string }; children?: ReactNode };

/** The layout of a small one-column page. The scene is above it, or beside it on a wide screen. */
export const SmallSheet = ({ title, scene, children }: Props) => (
  <div className="wrap grid justify-items-center pt-8 md:pt-14">
    <div
      className={cx(
        "sheet grid w-full max-w-[27.5rem] overflow-hidden shadow-low",
        scene && "lg:max-w-[56rem] lg:grid-cols-2",
      )}
    >
      {scene && (
        <div className="grid grid-rows-[1fr_auto] bg-player text-on-player">
          <div className="relative min-h-28">
            <img
              src={scene.picture}
              alt=""
              fetchPriority="high"
              className="absolute inset-0 size-full object-cover object-bottom"
              // The picture fades into the background color of the text.
              style={{ maskImage: "linear-gradient(#000 88%, transparent)" }}
            />
          </div>
          <p className="px-5 py-4 text-balance sm:px-8">{scene.text}</p>
        </div>
      )}
      <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-5 p-[min(1.25rem,6vw)] wrap-anywhere sm:p-8">
        {title && <h1 className="text-2xl">{title}</h1>}
        {children}
      </div>
    </div>
  </div>
);
