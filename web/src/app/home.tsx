import { lazy, Suspense } from "react";
import { HomeVideos } from "../videos/home";

// Below the fold, so that a phone draws tonight's video without waiting for it.
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
