import { lazy, Suspense } from "react";
import { HeroShell as Shell } from "../videos/hero";
import { HomeVideos } from "../videos/home";

export { Shell };

// This is below the fold, so it loads lazily and a phone renders tonight's video first.
const News = lazy(() => import("./news"));

export default function Home() {
  return (
    <>
      <HomeVideos />
      <Suspense fallback={<div className="min-h-96" />}>
        <News />
      </Suspense>
    </>
  );
}
