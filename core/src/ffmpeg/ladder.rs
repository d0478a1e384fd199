//! Decides into which sizes a video is converted, and how ffmpeg makes them.

use std::ffi::OsString;

use super::probe::{Media, Rate, Video};
use super::sniff::Container;
use super::{SEGMENT, process};

/// The short side, and the highest rate in bits per second of what is encoded.
const RUNGS: [(u32, u64); 3] = [(1080, 5_000_000), (720, 2_800_000), (480, 1_400_000)];
const LONGEST_SIDE: f64 = 3840.0;
const FASTEST: f64 = 30.5;
/// EBU R128 at the loudness that phones and browsers expect.
const LOUDNESS: &str = "loudnorm=I=-16:TP=-1.5:LRA=11,aresample=48000:async=1:first_pts=0";

pub(super) const SOUND: &str = "-c:a aac -b:a 128k -ac 2 -ar 48000";

/// One size of the ladder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rung {
    /// The short side, which also names the files.
    pub name: u32,
    pub width: u32,
    pub height: u32,
    pub max_rate: u64,
    /// The picture is copied as it is, not encoded again.
    pub copied: bool,
}

impl Rung {
    pub fn playlist(&self) -> String {
        format!("{}.m3u8", self.name)
    }

    pub fn file(&self) -> String {
        format!("{}.mp4", self.name)
    }

    /// The arguments that write the files of this size.
    pub fn packaging(&self) -> Vec<String> {
        let text = format!(
            "-tag:v avc1 -map_metadata -1 -map_chapters -1 -f hls -hls_time {SEGMENT} \
             -hls_playlist_type vod -hls_segment_type fmp4 \
             -hls_flags single_file+independent_segments -hls_segment_filename"
        );
        let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        words.extend([self.file(), self.playlist()]);
        words
    }
}

#[derive(Debug, Clone)]
pub(super) struct Plan {
    /// The best first.
    pub rungs: Vec<Rung>,
    pub rate: Rate,
}

impl Plan {
    pub fn of(media: &Media) -> Plan {
        let mut plan = Plan::encoding_all(media);
        let video = &media.video;
        let own = video.width.min(video.height);
        if let Some(max_rate) = fits(media) {
            let top = Rung {
                name: own,
                width: video.width,
                height: video.height,
                max_rate,
                copied: true,
            };
            plan.rungs.retain(|rung| rung.name < own);
            plan.rungs.insert(0, top);
            plan.rate = video.average;
        }
        plan
    }

    pub fn encoding_all(media: &Media) -> Plan {
        let video = &media.video;
        let own = video.width.min(video.height);
        let sized = |short: u32, max_rate: u64| {
            let (width, height) = scaled(video, short);
            Rung { name: width.min(height), width, height, max_rate, copied: false }
        };
        let mut rungs: Vec<Rung> = RUNGS
            .iter()
            .filter(|(short, _)| *short <= own)
            .map(|(short, max_rate)| sized(*short, *max_rate))
            .collect();
        rungs.dedup_by_key(|rung| rung.name);
        if rungs.is_empty() {
            rungs.push(sized(own, RUNGS[2].1));
        }
        Plan { rungs, rate: steady(video.average) }
    }

    pub fn copies_top(&self) -> bool {
        self.rungs[0].copied
    }

    /// All arguments of the one run that makes the whole ladder, so that the source is decoded once.
    pub fn arguments(&self, media: &Media, threads: usize) -> Vec<OsString> {
        let mut arguments = process::input(&media.path, media.container.demuxer(), &[]);
        if media.audio.is_none() {
            // Some phones do not play HLS without sound.
            let silence = "anullsrc=r=48000:cl=stereo";
            let duration = format!("{:.3}", media.duration);
            let words = ["-t", &duration, "-f", "lavfi", "-i", silence];
            arguments.extend(words.map(Into::into));
        }
        arguments.extend(["-filter_complex".into(), self.filters(media).into()]);
        for (at, rung) in self.rungs.iter().enumerate() {
            arguments.extend(self.output(media, at, rung, threads).into_iter().map(Into::into));
        }
        arguments
    }

    fn filters(&self, media: &Media) -> String {
        let encoded: Vec<usize> =
            (0..self.rungs.len()).filter(|at| !self.rungs[*at].copied).collect();
        let mut chains = Vec::new();
        if let Some(first) = encoded.first() {
            chains.push(format!(
                "[0:{}]{},split={}{}",
                media.video.index,
                self.upright(&media.video, &self.rungs[*first]),
                encoded.len(),
                labels("s", &encoded)
            ));
        }
        for at in &encoded {
            let Rung { width, height, .. } = self.rungs[*at];
            chains.push(format!("[s{at}]scale={width}:{height}:flags=bicubic,setsar=1[v{at}]"));
        }
        let sound = match media.audio {
            // An HLS player stops when the first stream ends, so the sound is made as long as the
            // picture.
            Some(index) => {
                format!("[0:{index}]{LOUDNESS},apad=whole_dur={:.3}", media.duration)
            }
            None => "[1:a]anull".into(),
        };
        let all: Vec<usize> = (0..self.rungs.len()).collect();
        chains.push(format!("{sound},asplit={}{}", all.len(), labels("a", &all)));
        chains.join(";")
    }

    /// Constant frame rate, progressive, standard dynamic range, and no larger than the largest size
    /// that is encoded. ffmpeg itself applies the rotation.
    fn upright(&self, video: &Video, top: &Rung) -> String {
        let Rate(over, under) = self.rate;
        let Rung { width, height, .. } = top;
        let deinterlace = if video.interlaced { "yadif=deint=interlaced," } else { "" };
        let scale = match video.transfer.as_str() {
            "smpte2084" | "arib-std-b67" => format!(
                "zscale=w={width}:h={height}:tin={transfer}:min=2020_ncl:pin=2020:rin=limited:\
                 t=linear:npl=100,format=gbrpf32le,zscale=p=709,tonemap=hable:desat=0,\
                 zscale=t=709:m=709:r=limited",
                transfer = video.transfer,
            ),
            _ => format!("scale={width}:{height}:flags=bicubic:out_range=tv"),
        };
        format!("fps={over}/{under},{deinterlace}{scale},setsar=1,format=yuv420p")
    }

    fn output(&self, media: &Media, at: usize, rung: &Rung, threads: usize) -> Vec<String> {
        let picture = match rung.copied {
            true => format!("0:{}", media.video.index),
            false => format!("[v{at}]"),
        };
        let mut words = vec!["-map".into(), picture, "-map".into(), format!("[a{at}]")];
        let mut add = |text: &str| words.extend(text.split_whitespace().map(str::to_owned));
        match rung.copied {
            true => add("-c:v copy"),
            false => {
                let keyframes = (self.rate.value() * f64::from(SEGMENT)).ceil();
                let (max_rate, buffer) = (rung.max_rate, rung.max_rate * 2);
                add("-c:v libx264 -profile:v high -preset veryfast -crf 23 -sc_threshold 0");
                add(&format!("-maxrate {max_rate} -bufsize {buffer} -g {keyframes}"));
                add(&format!("-force_key_frames expr:gte(t,n_forced*{SEGMENT})"));
                add(&format!("-color_range tv -threads {threads}"));
            }
        }
        add(SOUND);
        words.extend(rung.packaging());
        words
    }
}

/// `[s0][s1]`
fn labels(kind: &str, numbers: &[usize]) -> String {
    numbers.iter().map(|number| format!("[{kind}{number}]")).collect()
}

/// Returns the highest rate if the picture already has a form that every phone plays.
fn fits(media: &Media) -> Option<u64> {
    let video = &media.video;
    let own = video.width.min(video.height);
    let (_, max_rate) = RUNGS.iter().rev().find(|(short, _)| own <= *short)?;
    let rate = video.average.value();
    let constant = (video.base.value() / rate - 1.0).abs() < 0.02;
    let same = video.upright && video.square && !video.interlaced;
    let phones = video.codec == "h264"
        && ["Constrained Baseline", "Baseline", "Main", "High"].contains(&video.profile.as_str())
        && video.pixels == "yuv420p"
        && video.transfer != "smpte2084"
        && video.transfer != "arib-std-b67";
    let even = video.width.is_multiple_of(2) && video.height.is_multiple_of(2);
    let seekable = matches!(media.container, Container::Mov | Container::Matroska);
    let slim = (1..=max_rate * 13 / 10).contains(&video.bits_per_second);
    (phones && same && even && constant && seekable && slim && rate <= FASTEST).then_some(*max_rate)
}

/// Scales the short side to `short`; both sides are even, as H.264 requires.
fn scaled(video: &Video, short: u32) -> (u32, u32) {
    let (width, height) = (f64::from(video.width), f64::from(video.height));
    let factor = (f64::from(short) / width.min(height)).min(LONGEST_SIDE / width.max(height));
    let even = |side: f64| ((side * factor / 2.0).round() as u32 * 2).max(2);
    (even(width), even(height))
}

/// A constant rate of at most 30 frames a second near the average; a faster one is divided.
fn steady(average: Rate) -> Rate {
    const USUAL: [Rate; 6] = [
        Rate(30, 1),
        Rate(30_000, 1001),
        Rate(25, 1),
        Rate(24, 1),
        Rate(24_000, 1001),
        Rate(15, 1),
    ];
    let parts = (average.value() / FASTEST).ceil().max(1.0);
    let wanted = (average.value() / parts).max(1.0);
    let distance = |rate: &Rate| (rate.value() - wanted).abs();
    let nearest = USUAL.into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    match nearest.filter(|rate| distance(rate) < 1.0) {
        Some(rate) => rate,
        None => Rate((wanted * 1000.0).round() as u32, 1000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn video(width: u32, height: u32) -> Video {
        Video {
            index: 0,
            codec: "h264".into(),
            profile: "High".into(),
            pixels: "yuv420p".into(),
            width,
            height,
            upright: true,
            square: true,
            transfer: String::new(),
            interlaced: false,
            average: Rate(30, 1),
            base: Rate(30, 1),
            bits_per_second: 1_000_000,
        }
    }

    fn media(video: Video) -> Media {
        let container = Container::Mov;
        Media { path: "a.mp4".into(), container, duration: 9.0, video, audio: None }
    }

    fn sizes(video: Video) -> Vec<(u32, u32)> {
        let plan = Plan::encoding_all(&media(video));
        plan.rungs.iter().map(|rung| (rung.width, rung.height)).collect()
    }

    #[test]
    fn the_ladder_has_the_sizes_that_the_source_has() {
        assert_eq!(sizes(video(3840, 2160)), [(1920, 1080), (1280, 720), (854, 480)]);
        assert_eq!(sizes(video(1080, 1920)), [(1080, 1920), (720, 1280), (480, 854)]);
        assert_eq!(sizes(video(1280, 720)), [(1280, 720), (854, 480)]);
        assert_eq!(sizes(video(320, 241)), [(320, 242)]);
        assert_eq!(sizes(video(8000, 1000)), [(3840, 480)]);
    }

    #[test]
    fn a_fast_or_odd_frame_rate_becomes_a_usual_one() {
        for (average, rate) in [
            (Rate(60, 1), Rate(30, 1)),
            (Rate(60_000, 1001), Rate(30_000, 1001)),
            (Rate(50, 1), Rate(25, 1)),
            (Rate(240, 1), Rate(30, 1)),
            (Rate(2987, 100), Rate(30_000, 1001)),
            (Rate(10, 1), Rate(10_000, 1000)),
        ] {
            assert_eq!(steady(average), rate, "{average:?}");
        }
    }

    #[test]
    fn only_a_fitting_picture_is_copied() {
        let copied = |video: Video| Plan::of(&media(video)).copies_top();
        let fitting = video(1280, 720);
        assert!(copied(fitting.clone()));
        assert!(!copied(Video { bits_per_second: 20_000_000, ..fitting.clone() }));
        assert!(!copied(Video { codec: "hevc".into(), ..fitting.clone() }));
        assert!(!copied(Video { pixels: "yuv422p".into(), ..fitting.clone() }));
        assert!(!copied(Video { upright: false, ..fitting.clone() }));
        assert!(!copied(Video { base: Rate(90, 1), ..fitting.clone() }));
        assert!(!copied(Video { average: Rate(60, 1), base: Rate(60, 1), ..fitting }));
        assert!(!copied(video(3840, 2160)));
    }
}
