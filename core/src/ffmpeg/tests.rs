//! Converts files that ffmpeg makes, in the formats of phones and cameras, and checks the results
//! with ffprobe.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use super::*;

struct Place {
    _folder: tempfile::TempDir,
    source: PathBuf,
    output: PathBuf,
}

/// Makes the file `name` with ffmpeg: a moving test picture with this size and rate and, unless it
/// is silent, a tone.
fn film(name: &str, size: &str, seconds: f64, options: &str) -> Place {
    let place = empty(name);
    let (size, rate) = size.split_once('@').unwrap_or((size, "30"));
    let picture = format!("testsrc2=s={size}:r={rate}:d={seconds}");
    let mut command = Command::new("ffmpeg");
    command.args(["-v", "error", "-f", "lavfi", "-i", &picture]);
    if !options.contains("-an") {
        command.args(["-f", "lavfi", "-i", &format!("sine=d={seconds}")]);
    }
    command.args(options.split_whitespace()).arg(&place.source);
    assert!(command.status().expect("ffmpeg is installed").success(), "{options}");
    place
}

fn empty(name: &str) -> Place {
    let folder = tempfile::tempdir().expect("a folder");
    let output = folder.path().join("output");
    std::fs::create_dir(&output).expect("a folder");
    Place { source: folder.path().join(name), output, _folder: folder }
}

fn tools() -> Tools {
    Tools::at(None).expect("ffmpeg is installed")
}

impl Place {
    async fn convert(&self) -> Result<Converted, Failure> {
        convert(&tools(), &self.source, &self.output, Arc::new(|_| {})).await
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.output.join(name)).expect("a text")
    }

    /// The values of the first video stream that ffprobe prints for these names.
    fn video(&self, name: &str, values: &str) -> String {
        shown(&self.output.join(name), "v:0", values)
    }
}

fn shown(path: &Path, stream: &str, values: &str) -> String {
    let entries = format!("stream={values}");
    let words = ["-v", "error", "-select_streams", stream, "-show_entries", &entries];
    let output = Command::new("ffprobe").args(words).args(["-of", "csv=p=0"]).arg(path).output();
    let output = output.expect("ffprobe is installed");
    String::from_utf8(output.stdout).expect("a text").trim().trim_end_matches(',').to_owned()
}

fn shown_of_format(path: &Path, value: &str) -> String {
    let entries = format!("format={value}");
    let words = ["-v", "error", "-show_entries", &entries, "-of", "csv=p=0"];
    let output = Command::new("ffprobe").args(words).arg(path).output();
    String::from_utf8(output.expect("ffprobe is installed").stdout).expect("a text").trim().into()
}

fn sizes(converted: &Converted) -> Vec<(u32, u32)> {
    converted.renditions.iter().map(|rendition| (rendition.width, rendition.height)).collect()
}

#[tokio::test]
async fn a_large_video_becomes_a_ladder_with_pictures() {
    let film = film("lake.mkv", "3840x2160@6", 1.0, "-c:v libx264 -preset ultrafast -c:a aac");
    let seen = Arc::new(Mutex::new(Vec::new()));
    let progress = {
        let seen = seen.clone();
        Arc::new(move |percent| seen.lock().expect("no panic").push(percent))
    };
    let converted = convert(&tools(), &film.source, &film.output, progress).await;
    let converted = converted.expect("converted");
    assert_eq!(sizes(&converted), [(1920, 1080), (1280, 720), (854, 480)]);
    assert!((converted.duration_seconds - 1.0).abs() < 0.2, "{converted:?}");
    let seen = seen.lock().expect("no panic").clone();
    assert!(seen.is_sorted() && seen.last() == Some(&100), "{seen:?}");
    for name in ["1080", "720", "480"] {
        let file = film.output.join(format!("{name}.mp4"));
        assert_eq!(
            film.video(&format!("{name}.mp4"), "codec_name,profile,pix_fmt"),
            "h264,High,yuv420p"
        );
        assert_eq!(shown(&file, "a:0", "codec_name,sample_rate,channels"), "aac,48000,2");
        let playlist = film.text(&format!("{name}.m3u8"));
        assert!(playlist.contains(&format!("URI=\"{name}.mp4\"")), "{playlist}");
    }
    let master = film.text(MASTER);
    let order: Vec<&str> = master.lines().filter(|line| line.ends_with(".m3u8")).collect();
    assert_eq!(order, ["720.m3u8", "480.m3u8", "1080.m3u8"]);
    for Rendition { width, height, bandwidth, codecs, .. } in &converted.renditions {
        assert!(master.contains(&format!("RESOLUTION={width}x{height}")), "{master}");
        assert!(codecs.starts_with("avc1.6400") && codecs.ends_with(",mp4a.40.2"), "{codecs}");
        assert!(master.contains(&format!("CODECS=\"{codecs}\"")) && *bandwidth > 0, "{master}");
    }
    assert_eq!(film.video(PROGRESSIVE, "width,height"), "854,480");
    let bytes = std::fs::read(film.output.join(PROGRESSIVE)).expect("a file");
    let at = |name: &[u8]| bytes.windows(4).position(|window| window == name);
    assert!(at(b"moov") < at(b"mdat"), "the index is in front");
    assert_eq!(film.video(POSTER, "width,height"), "1280,720");
    assert_eq!(film.video(SPRITE, "width,height"), "160,90");
    assert!(film.text(PREVIEWS).contains("sprite.jpg#xywh=0,0,160,90"));
    let made: Vec<_> = std::fs::read_dir(&film.output).expect("a folder").collect();
    for file in &made {
        let name = file.as_ref().expect("a file").file_name();
        assert!(is_output(&name.to_string_lossy()), "{name:?}");
    }
    assert_eq!(made.len(), 14);
}

#[tokio::test]
async fn a_video_that_every_phone_plays_is_not_encoded_again() {
    let options = "-c:v libx264 -preset ultrafast -crf 35 -pix_fmt yuv420p -g 60 -c:a aac \
                   -metadata location=+41.0000-074.0000/";
    let film = film("lake.mp4", "640x360", 9.0, options);
    let converted = film.convert().await.expect("converted");
    assert_eq!(sizes(&converted), [(640, 360)]);
    let frames = |path: &Path| {
        let words = ["-v", "error", "-i"];
        let hash = ["-map", "0:v", "-c", "copy", "-bsf:v", "h264_mp4toannexb", "-f", "md5", "-"];
        let output = Command::new("ffmpeg").args(words).arg(path).args(hash).output();
        String::from_utf8(output.expect("ffmpeg is installed").stdout).expect("a text")
    };
    assert_eq!(frames(&film.output.join("360.mp4")), frames(&film.source));
    assert_eq!(film.text("360.m3u8").matches("#EXTINF").count(), 3);
    assert!(film.text(PREVIEWS).contains("xywh=320,0,160,90"));
    let file = std::fs::read(film.output.join(PROGRESSIVE)).expect("a file");
    assert!(!file.windows(5).any(|window| window == b"+41.0"), "the place was removed");
}

#[tokio::test]
async fn too_few_keyframes_are_a_reason_to_encode() {
    let options = "-c:v libx264 -preset ultrafast -crf 35 -pix_fmt yuv420p -g 999 -c:a aac";
    let film = film("lake.mp4", "160x90", 13.0, options);
    film.convert().await.expect("converted");
    assert_eq!(film.text("90.m3u8").matches("#EXTINF").count(), 4);
}

#[tokio::test]
async fn nothing_stays_of_a_copy_that_is_encoded_after_all() {
    let options = "-c:v libx264 -preset ultrafast -crf 45 -pix_fmt yuv420p -g 999 -c:a aac";
    let film = film("lake.mp4", "960x544", 13.0, options);
    let converted = film.convert().await.expect("converted");
    let heights: Vec<i64> =
        sizes(&converted).iter().map(|(_, height)| i64::from(*height)).collect();
    let made = std::fs::read_dir(&film.output).expect("a folder").flatten();
    for name in made.map(|entry| entry.file_name().to_string_lossy().into_owned()) {
        let Some(height) = name.split('.').next().and_then(|name| name.parse().ok()) else {
            continue;
        };
        assert!(heights.contains(&height), "{name} is shown by nobody: {heights:?}");
    }
}

#[tokio::test]
async fn high_dynamic_range_of_a_phone_becomes_usual_colors() {
    // PQ of Samsung phones, and HLG of iPhones.
    for transfer in ["smpte2084", "arib-std-b67"] {
        let options = format!(
            "-c:v libx265 -preset ultrafast -pix_fmt yuv420p10le -tag:v hvc1 -c:a aac -x265-params \
             log-level=none:colorprim=bt2020:transfer={transfer}:colormatrix=bt2020nc"
        );
        let film = film("lake.mov", "320x180", 1.0, &options);
        let source = shown(&film.source, "v:0", "codec_name,color_transfer");
        assert_eq!(source, format!("hevc,{transfer}"));
        film.convert().await.expect("converted");
        let colors =
            film.video("180.mp4", "codec_name,pix_fmt,color_range,color_space,color_transfer");
        assert_eq!(colors, "h264,yuv420p,tv,bt709,bt709", "{transfer}");
    }
}

#[tokio::test]
async fn a_phone_held_upright_stays_upright() {
    let flat = film("flat.mp4", "320x180", 1.0, "-c:v libx264 -preset ultrafast -c:a aac");
    let place = empty("turned.mov");
    let turn = ["-c", "copy", "-metadata:s:v:0", "rotate=90"];
    let mut command = Command::new("ffmpeg");
    command.args(["-v", "error", "-i"]).arg(&flat.source).args(turn).arg(&place.source);
    assert!(command.status().expect("ffmpeg is installed").success());
    let converted = place.convert().await.expect("converted");
    assert_eq!(sizes(&converted), [(180, 320)]);
    assert_eq!(place.video("180.mp4", "width,height"), "180,320");
    assert_eq!(place.video(SPRITE, "width,height"), "90,160");

    let upright =
        film("upright.webm", "180x320", 1.0, "-c:v libvpx -deadline realtime -c:a libopus");
    let converted = upright.convert().await.expect("converted");
    assert_eq!(sizes(&converted), [(180, 320)]);
}

#[tokio::test]
async fn a_video_without_sound_gets_a_silent_track() {
    let film = film("lake.avi", "160x90", 1.0, "-an -c:v mpeg4");
    film.convert().await.expect("converted");
    assert_eq!(shown(&film.output.join("90.mp4"), "a:0", "codec_name"), "aac");
    assert_eq!(shown(&film.output.join(PROGRESSIVE), "a:0", "codec_name"), "aac");
}

#[tokio::test]
async fn what_a_browser_recorded_does_not_say_how_long_it_is() {
    for (name, options) in [
        ("sound.webm", "-c:v libvpx -deadline realtime -c:a libvorbis -live 1"),
        ("silent.webm", "-an -c:v libvpx -deadline realtime -live 1"),
    ] {
        let film = film(name, "320x240@10", 3.0, options);
        assert_eq!(shown_of_format(&film.source, "duration"), "N/A", "{name}");
        let converted = film.convert().await.expect(name);
        assert!((2.8..3.3).contains(&converted.duration_seconds), "{name}: {converted:?}");
        assert_eq!(sizes(&converted), [(320, 240)]);
    }
}

#[tokio::test]
async fn a_fast_or_varying_frame_rate_becomes_constant() {
    let fast = film("fast.ts", "160x90@60", 1.0, "-c:v libx264 -preset ultrafast -c:a aac");
    fast.convert().await.expect("converted");
    assert_eq!(fast.video("90.mp4", "r_frame_rate,avg_frame_rate"), "30/1,30/1");
    let options =
        "-vf select='if(lt(t,1),1,not(mod(n,4)))' -vsync vfr -c:v libx264 -preset ultrafast";
    let varying = film("varying.mp4", "160x90", 2.0, options);
    varying.convert().await.expect("converted");
    let rates = varying.video("90.mp4", "r_frame_rate,avg_frame_rate");
    let (base, average) = rates.split_once(',').expect("two rates");
    assert_eq!(base, average);
}

#[tokio::test]
async fn loud_and_quiet_sound_become_alike() {
    let loudness = |path: &Path| {
        let words = ["-map", "0:a", "-af", "ebur128=framelog=verbose", "-f", "null", "-"];
        let output =
            Command::new("ffmpeg").arg("-nostdin").arg("-i").arg(path).args(words).output();
        let log =
            String::from_utf8_lossy(&output.expect("ffmpeg is installed").stderr).into_owned();
        let (_, summary) = log.rsplit_once("I:").expect("a summary");
        summary.split_whitespace().next().and_then(|n| n.parse::<f64>().ok()).expect("a number")
    };
    let quiet = film("quiet.mov", "160x90@10", 6.0, "-af volume=-24dB -c:v libx264 -c:a pcm_s16le");
    assert!(loudness(&quiet.source) < -30.0);
    quiet.convert().await.expect("converted");
    let heard = loudness(&quiet.output.join(PROGRESSIVE));
    assert!((-19.0..-13.0).contains(&heard), "{heard}");
}

#[tokio::test]
async fn the_sound_goes_on_as_long_as_the_picture() {
    for (name, options) in [
        ("lake.mkv", "-af atrim=end=3 -c:v mpeg4 -q:v 20 -c:a pcm_s16le"),
        ("copied.mp4", "-af atrim=end=5.6 -c:v libx264 -pix_fmt yuv420p -c:a aac"),
    ] {
        let film = film(name, "640x480@12", 6.0, options);
        film.convert().await.expect("converted");
        let path = film.output.join("480.mp4");
        let (picture, sound) = (span(&path, "v:0"), span(&path, "a:0"));
        assert!(sound.1 > picture.1 - 0.05, "{name}: {picture:?} {sound:?}");
    }
}

#[tokio::test]
async fn the_ends_are_cut_off_in_all_sizes_without_encoding() {
    let film = film("lake.avi", "1280x720@12", 14.0, "-c:v mpeg4 -q:v 20 -c:a pcm_s16le");
    let converted = film.convert().await.expect("converted");
    let sizes = [(1280, 720), (854, 480)];
    assert_eq!(self::sizes(&converted), sizes);
    let folder = tempfile::tempdir().expect("a folder");
    let wanted = Cut { start: 6.0, end: 11.0 };
    let source = (film.output.as_path(), &sizes[..]);
    let trimmed = trim(&tools(), source, wanted, folder.path(), Arc::new(|_| {})).await;
    let (trimmed, cut) = trimmed.expect("trimmed");
    // Each segment is four seconds long.
    assert_eq!(cut, Cut { start: 4.0, end: 11.0 });
    assert_eq!(self::sizes(&trimmed), sizes);
    assert!((6.8..7.2).contains(&trimmed.duration_seconds), "{}", trimmed.duration_seconds);
    // In fragmented files, the header holds only the picture's duration.
    for (name, stream) in
        [("720.mp4", "v:0"), ("480.mp4", "v:0"), (PROGRESSIVE, "v:0"), (PROGRESSIVE, "a:0")]
    {
        let seconds = shown(&folder.path().join(name), stream, "duration");
        let seconds: f64 = seconds.parse().expect("a number");
        assert!((6.8..7.5).contains(&seconds), "{name} {stream}: {seconds}");
    }
    for name in ["720.mp4", "480.mp4"] {
        let path = folder.path().join(name);
        let (picture, sound) = (span(&path, "v:0"), span(&path, "a:0"));
        assert!((sound.0 - picture.0).abs() < 0.25, "{name}: {picture:?} {sound:?}");
        assert!((-0.05..0.2).contains(&(sound.1 - picture.1)), "{name}: {picture:?} {sound:?}");
    }
    for name in [MASTER, POSTER, PREVIEWS, "poster-3.jpg", "sprite.jpg", "480.m3u8"] {
        assert!(folder.path().join(name).exists(), "{name}");
    }
    // The frames from the fourth second on are the same, and not encoded again.
    for name in ["720.mp4", "480.mp4"] {
        let before = frames(&film.output.join(name));
        let after = frames(&folder.path().join(name));
        assert!((82..=86).contains(&after.len()), "{name}: {}", after.len());
        assert_eq!(after, before[48..48 + after.len()], "{name}");
    }
}

/// When the first packet of a stream begins and the last one ends, in seconds.
fn span(path: &Path, stream: &str) -> (f64, f64) {
    let words = ["-v", "error", "-select_streams", stream, "-of", "csv=p=0"];
    let entries = ["-show_entries", "packet=pts_time,duration_time"];
    let output = Command::new("ffprobe").args(words).args(entries).arg(path).output();
    let text = String::from_utf8(output.expect("ffprobe is installed").stdout).expect("times");
    let times = text.lines().filter_map(|line| {
        let (at, rest) = line.split_once(',')?;
        let at: f64 = at.parse().ok()?;
        Some((at, at + rest.trim_end_matches(',').parse::<f64>().ok()?))
    });
    times.fold((f64::MAX, 0.0), |(first, last), (start, end)| (first.min(start), last.max(end)))
}

/// A hash of each frame.
fn frames(path: &Path) -> Vec<String> {
    let words = ["-map", "0:v", "-vsync", "passthrough", "-f", "framemd5", "-"];
    let output = Command::new("ffmpeg").args(["-v", "error", "-i"]).arg(path).args(words).output();
    let text = String::from_utf8(output.expect("ffmpeg is installed").stdout).expect("hashes");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.rsplit_once(' ')).map(|(_, hash)| hash.to_owned()).collect()
}

#[tokio::test]
async fn what_is_no_whole_video_is_refused_in_words() {
    let options = "-c:v libx264 -preset ultrafast -c:a aac -movflags +faststart";
    let whole = film("whole.mp4", "320x180", 3.0, options);
    let whole = std::fs::read(&whole.source).expect("a file");
    let sound = film("sound.mov", "160x90", 1.0, "-vn -c:a aac");
    let sound = std::fs::read(&sound.source).expect("a file");
    let playlist =
        b"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n";
    let files: [(&[u8], &str); 9] = [
        (&whole[..whole.len() * 6 / 10], CUT_OFF),
        (&whole[..900], DAMAGED),
        (&sound, NO_PICTURE),
        (b"Dear parents, this is a letter.", NO_VIDEO),
        (b"PK\x03\x04\x14\0\0\0\x08\0", NO_VIDEO),
        (playlist, NO_VIDEO),
        (b"ffconcat version 1.0\nfile http://127.0.0.1:1/a.mp4\n", NO_VIDEO),
        (b"", NO_VIDEO),
        (b"\0\0\0\x18ftypisom\0\0\0\0isomiso2 and nothing else", DAMAGED),
    ];
    for (bytes, problem) in files {
        let place = empty("film.mp4");
        std::fs::write(&place.source, bytes).expect("written");
        let failure = place.convert().await.expect_err(problem);
        assert_eq!(failure.problem, problem, "{}", failure.log);
    }
}

#[tokio::test]
async fn a_full_disk_is_named_as_the_reason() {
    let options = "-c:v mpeg4 -q:v 2 -c:a aac";
    let film = film("lake.mp4", "640x360", 4.0, options);
    let mount = ["-t", "tmpfs", "-o", "size=1200k", "tmpfs"];
    let mounted = Command::new("mount").args(mount).arg(&film.output).status();
    if !mounted.is_ok_and(|status| status.success()) {
        println!("not tested: this user may not mount");
        return;
    }
    std::fs::write(film.output.join("filler"), vec![0; 1_100_000]).expect("written");
    let outcome = film.convert().await;
    Command::new("umount").arg("--lazy").arg(&film.output).status().expect("unmounted");
    assert_eq!(outcome.expect_err("no space").problem, NO_SPACE);
}

#[tokio::test]
async fn ffmpeg_stops_when_nobody_waits_for_it() {
    let film = film("long.mp4", "640x360", 60.0, "-c:v mpeg4 -c:a aac");
    let (sender, mut started) = tokio::sync::mpsc::unbounded_channel();
    let progress = Arc::new(move |percent| sender.send(percent).unwrap_or_default());
    let tools = tools();
    let converting = convert(&tools, &film.source, &film.output, progress);
    tokio::select! {
        _ = converting => panic!("it was too fast"),
        _ = started.recv() => {}
    }
    let file = film.output.join("360.mp4");
    let size = || std::fs::metadata(&file).map_or(0, |data| data.len());
    tokio::time::sleep(Duration::from_millis(300)).await;
    let stopped = size();
    tokio::time::sleep(Duration::from_millis(700)).await;
    assert_eq!(size(), stopped);
}

#[test]
fn only_files_of_a_conversion_are_served() {
    for name in [MASTER, PROGRESSIVE, POSTER, "poster-2.jpg", "sprite.jpg", "720.mp4", "90.m3u8"] {
        assert!(is_output(name), "{name}");
    }
    for name in ["", "..", "a.mp4", "12345.mp4", ".mp4", "720.mp4.part", "poster-4.jpg", "x.m3u8"] {
        assert!(!is_output(name), "{name}");
    }
}

#[test]
fn without_ffmpeg_there_are_no_tools() {
    assert!(Tools::at(Some(Path::new("/nowhere/ffmpeg"))).is_none());
}
