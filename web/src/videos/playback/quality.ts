import type Hls from "hls.js";
import type { LoadPolicy, RetryConfig } from "hls.js";
import { rungsOf } from "./master";
import { goOnIn, playbackOf, type Playing } from "./source";

/** The picture sizes as numbers of lines, best first, and which one is chosen. Null is automatic. */
export type Quality = { rungs: number[]; chosen: number | null; choose: (lines: number | null) => void };

const recovered = new WeakSet<Hls>();

/**
 * A phone in a tunnel gets no response at all, and neither does a player whose server restarts. By default hls.js takes
 * that for a cross-origin file that it may not read, and gives up although half a minute is loaded.
 */
const patient: RetryConfig = {
  maxNumRetry: 8,
  retryDelayMs: 500,
  maxRetryDelayMs: 8_000,
  shouldRetry: (config, tries, _late, answer, retry) => retry || (answer?.code === 0 && tries < config!.maxNumRetry),
};
const withPatience = ({ default: policy }: LoadPolicy): LoadPolicy => ({ default: { ...policy, errorRetry: patient } });

/** Loads the code of hls.js. */
export const loadHls = () => import("hls.js/light");

/**
 * If a film's sound ends before its picture, only the part with both counts as loaded, and hls.js waits forever for the
 * rest of the last segment. This tells hls.js that nothing more will come, so that the rest plays without sound.
 */
function endWithTheLastPart(hls: Hls, events: typeof Hls.Events, media: HTMLVideoElement) {
  hls.on(events.FRAG_BUFFERED, (_event, { frag }) => {
    const { length } = media.buffered;
    const end = length > 0 ? media.buffered.end(length - 1) : 0;
    if (frag.endList && end < frag.end - 0.05) hls.trigger(events.BUFFER_EOS, { type: null });
  });
}

/** Connects hls.js to an element. Returns null if it could not play. */
export async function connectHls(
  media: HTMLVideoElement,
  url: string,
  onFatal: (was: Playing) => void,
): Promise<Hls | null> {
  const { default: HlsPlayer } = await loadHls();
  if (!HlsPlayer.isSupported()) {
    onFatal(playbackOf(media));
    return null;
  }
  // The content security policy does not allow a worker made from a string.
  const { fragLoadPolicy, playlistLoadPolicy } = HlsPlayer.DefaultConfig;
  const hls = new HlsPlayer({
    enableWorker: false,
    capLevelToPlayerSize: true,
    fragLoadPolicy: withPatience(fragLoadPolicy),
    playlistLoadPolicy: withPatience(playlistLoadPolicy),
  });
  hls.on(HlsPlayer.Events.ERROR, (_event, { fatal, type, details, frag }) => {
    // For example a whole segment without sound, which hls.js would load again and again.
    const stuck = details === HlsPlayer.ErrorDetails.BUFFER_APPEND_NO_PROGRESS && !frag?.endList;
    if (!fatal && !stuck) return;
    const was = playbackOf(media);
    if (fatal && type === HlsPlayer.ErrorTypes.MEDIA_ERROR && !recovered.has(hls)) {
      recovered.add(hls);
      hls.recoverMediaError();
      if (!was.paused) void media.play()?.catch(() => undefined);
    } else {
      hls.destroy();
      onFatal(was);
    }
  });
  endWithTheLastPart(hls, HlsPlayer.Events, media);
  const parsed = new Promise<Hls>((done) => hls.once(HlsPlayer.Events.MANIFEST_PARSED, () => done(hls)));
  const failed = new Promise<null>((done) => hls.once(HlsPlayer.Events.DESTROYING, () => done(null)));
  hls.loadSource(url);
  hls.attachMedia(media);
  return Promise.race([parsed, failed]);
}

const linesOf = ({ width, height }: { width: number; height: number }) => Math.min(width, height);

/** Lets the viewer choose among the sizes that hls.js found. */
export function qualityOfHls(hls: Hls, changed: (quality: Quality) => void) {
  const rungs = hls.levels.map(linesOf).toSorted((a, b) => b - a);
  const show = (chosen: number | null) =>
    changed({
      rungs,
      chosen,
      choose: (lines) => {
        // A chosen size also applies in a small player.
        hls.config.capLevelToPlayerSize = lines === null;
        hls.autoLevelCapping = -1;
        // Otherwise, what is already loaded would first play in the old size.
        if (lines === null) hls.nextLevel = -1;
        else hls.currentLevel = hls.levels.findIndex((level) => linesOf(level) === lines);
        show(lines);
      },
    });
  show(null);
}

/** Lets the viewer choose a size where the browser plays HLS itself. Each size has its own URL. */
export async function qualityOfBrowser(media: HTMLVideoElement, hlsUrl: string, changed: (quality: Quality) => void) {
  const master = new URL(hlsUrl, location.href).href;
  const answer = await fetch(new Request(master, { credentials: "same-origin" })).catch(() => null);
  const rungs = answer?.ok ? rungsOf(await answer.text(), master) : [];
  const show = (chosen: number | null) =>
    changed({
      rungs: rungs.map(({ lines }) => lines),
      chosen,
      choose: (lines) => {
        goOnIn(media, rungs.find((rung) => rung.lines === lines)?.url ?? master);
        show(lines);
      },
    });
  show(null);
}
