//! Files as phones and cameras make them, and files that are no videos or claim to be huge. Each is
//! uploaded to a running portal, and is either converted correctly or refused with an explanation.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::films::{Part, Upload, converted, film, length_of, shown};
use super::long;
use super::site::{Answer, Owner, Site, add_owner};
use crate::camp::Camp;
use Expected::{Failed, Refused, Sizes};

const X264: &str = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p";
/// How much the portal's memory may grow, in MiB.
const MAX_GROWTH: u64 = 96;

/// The expected outcome for a file.
#[derive(Clone, Copy)]
enum Expected {
    /// The file is converted to these sizes, best first.
    Sizes(&'static str),
    /// The file is refused before or at the end of the upload, with a message that begins like
    /// this.
    Refused(&'static str),
    /// The conversion fails with such a message.
    Failed(&'static str),
}

const NO_VIDEO: &str = "This file is not a video";
const INCOMPLETE: &str = "This file is not complete: its end is missing";
const CUT_OFF: &str = "This video file ends too early";
const FAILED: &str = "The video could not be converted.";

struct File {
    name: &'static str,
    parts: Vec<Part>,
    expected: Expected,
}

fn file(name: &'static str, bytes: impl Into<Vec<u8>>, expected: Expected) -> File {
    File { name, parts: vec![Part::Bytes(bytes.into())], expected }
}

/// A film of a moving test picture and a tone.
fn made(name: &'static str, size: &str, seconds: u32, options: &str, expected: Expected) -> File {
    let (size, rate) = size.split_once('@').unwrap_or((size, "30"));
    let input = format!("-f lavfi -i testsrc2=s={size}:r={rate}:d={seconds}");
    let sound = match options.contains("-an") {
        true => String::new(),
        false => format!("-f lavfi -i sine=d={seconds}"),
    };
    let ending = name.rsplit_once('.').map_or("mp4", |(_, ending)| ending);
    let bytes = film(&format!("film.{ending}"), &format!("{input} {sound} {options}"));
    file(name, bytes, expected)
}

fn hevc(transfer: &str) -> String {
    format!(
        "-c:v libx265 -preset ultrafast -pix_fmt yuv420p10le -tag:v hvc1 -c:a aac -x265-params \
         log-level=none:colorprim=bt2020:transfer={transfer}:colormatrix=bt2020nc"
    )
}

/// A film that metadata rotates, as from a phone held upright.
fn turned(name: &'static str, film: &File, expected: Expected) -> File {
    let Part::Bytes(bytes) = &film.parts[0] else { return file(name, [], expected) };
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("film.mov");
    std::fs::write(&source, bytes).expect("written");
    let words = format!("-i {} -c copy -metadata:s:v:0 rotate=90", source.display());
    file(name, self::film("turned.mov", &words), expected)
}

fn from_phones_and_cameras() -> Vec<File> {
    let small = Sizes("320x180");
    let varying = format!("-vf select='if(lt(t,1),1,not(mod(n,4)))' -vsync vfr {X264} -c:a aac");
    let whole = film("a.mp4", &format!("-f lavfi -i testsrc2=d=3 {X264} -movflags +faststart"));
    let matroska = film("a.mkv", "-f lavfi -i testsrc2=d=6 -c:v mpeg4");
    let flat = made("flat.mov", "320x180", 2, &format!("{X264} -c:a aac"), small);
    vec![
        made(
            "HEVC, PQ.mov",
            "1920x1080",
            3,
            &hevc("smpte2084"),
            Sizes("1920x1080 1280x720 854x480"),
        ),
        made("HEVC, HLG.mov", "320x180", 2, &hevc("arib-std-b67"), small),
        made("index at the end.mp4", "320x180", 2, &format!("{X264} -c:a aac"), small),
        made("portrait.webm", "180x320", 2, "-c:v libvpx -deadline realtime", Sizes("180x320")),
        turned("turned by metadata.mov", &flat, Sizes("180x320")),
        made("no sound.avi", "320x180", 2, "-an -c:v mpeg4", small),
        made("varying frame rate.mp4", "320x180", 4, &varying, small),
        file("truncated.mp4", &whole[..whole.len() * 6 / 10], Refused(INCOMPLETE)),
        file("truncated.mkv", &matroska[..matroska.len() * 6 / 10], Failed(CUT_OFF)),
        file("a text.mp4", "Dear parents, this is a letter.", Refused(NO_VIDEO)),
        file("a zip.mp4", b"PK\x03\x04\x14\0\0\0\x08\0".repeat(99), Refused(NO_VIDEO)),
        file(
            "playlist, passwd.mp4",
            "#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n",
            Refused(NO_VIDEO),
        ),
        file(
            "playlist, URL.mp4",
            "#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:1/a.ts\n",
            Refused(NO_VIDEO),
        ),
        file("concat.mp4", "ffconcat version 1.0\nfile /etc/passwd\n", Refused(NO_VIDEO)),
        file("zero bytes.mp4", [], Refused("This file is empty")),
        turned(
            "10 s at 4K, HEVC, HLG, upright.mov",
            &made("4K.mov", "3840x2160", 10, &hevc("arib-std-b67"), small),
            Sizes("1080x1920 720x1280 480x854"),
        ),
    ]
}

/// The offset of the first box of this kind.
fn position(film: &[u8], kind: &[u8; 4]) -> usize {
    let mut at = 0;
    while &film[at + 4..at + 8] != kind {
        at += u32::from_be_bytes(film[at..at + 4].try_into().expect("four bytes")) as usize;
    }
    at
}

/// The header of a box whose length has eight bytes.
fn head(kind: &[u8; 4], length: u64) -> Vec<u8> {
    [&1_u32.to_be_bytes()[..], kind, &length.to_be_bytes()].concat()
}

/// Gives the pictures' box an eight-byte length. ffmpeg leaves eight free bytes before the box,
/// which makes room for that.
fn with_long_pictures(film: &[u8], zeros: u64) -> (Vec<u8>, Vec<u8>, Vec<u8>) {
    let pictures = position(film, b"mdat");
    assert_eq!(&film[pictures - 4..pictures], b"free");
    let short: [u8; 4] = film[pictures..pictures + 4].try_into().expect("four bytes");
    let end = pictures + u32::from_be_bytes(short) as usize;
    let long = head(b"mdat", (end - pictures + 8) as u64 + zeros);
    let before = [&film[..pictures - 8], &long].concat();
    (before, film[pictures + 8..end].to_vec(), film[end..].to_vec())
}

/// Files with a long gap of zeros, all of which are sent.
fn with_a_hole(zeros: u64) -> Vec<File> {
    let options = format!("-f lavfi -i testsrc2=s=320x180:d=3 {X264} -g 30");
    let at_end = film("a.mp4", &options);
    let in_front = film("a.mp4", &format!("{options} -movflags +faststart"));
    let matroska = film("a.mkv", &options);
    let small = Sizes("320x180");
    let hole = Part::Zeros;
    let (before, pictures, index) = with_long_pictures(&at_end, zeros);
    let (start, lost, rest) = with_long_pictures(&in_front, zeros);
    assert!(rest.is_empty());
    let lost = lost.len() as u64;
    let free = [in_front.clone(), head(b"free", zeros + 16)].concat();
    let parts = [
        ("a free part at the end", vec![Part::Bytes(free), hole(zeros)], small),
        (
            "a hole before the index",
            vec![Part::Bytes([before, pictures].concat()), hole(zeros), Part::Bytes(index)],
            small,
        ),
        ("all pictures are a hole", vec![Part::Bytes(start), hole(zeros + lost)], Failed(FAILED)),
        ("Matroska with a hole at the end", vec![Part::Bytes(matroska), hole(zeros)], small),
        ("nothing but a hole", vec![hole(zeros)], Refused(NO_VIDEO)),
    ];
    parts.into_iter().map(|(name, parts, expected)| File { name, parts, expected }).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_file_is_converted_right_or_refused_in_words() {
    let camp = Camp::on_sqlite();
    add_owner(&camp);
    let site = Site::start(&camp, &["--with-worker"]).await;
    let owner = Owner::sign_in(&site).await;
    let mut files = with_a_hole(if long() { 4 << 30 } else { 16 << 20 });
    if long() {
        files.extend(from_phones_and_cameras());
    }
    for file in files {
        try_it(&camp, &site, &owner, &file).await;
    }
    site.stop().await;
}

async fn try_it(camp: &Camp, site: &Site, owner: &Owner, file: &File) {
    let memory = Memory::watch(site.id);
    let begun = Instant::now();
    let (upload_took, outcome) = match file.expected {
        Refused(sentence) => {
            let answer = Upload::refused(owner, &file.parts).await;
            assert_eq!(answer.status, 422, "{}: {}", file.name, answer.body);
            (begun.elapsed(), said(&answer, sentence))
        }
        Sizes(_) | Failed(_) => {
            let upload = Upload::whole(owner, &file.parts).await;
            let took = begun.elapsed();
            let video = upload.publish().await;
            let ended = converted(owner, &video).await;
            let outcome = outcome(camp, file, upload.id(), &ended).await;
            owner.delete_video(&video).await;
            (took, outcome)
        }
    };
    let all = begun.elapsed();
    let (before, most, ffmpeg) = memory.end();
    println!(
        "{}: {:.1} MB, uploaded in {upload_took:.1?}, converted in {:.1?}: {outcome}; memory of the portal \
         {before} MiB before, {most} MiB at the most, of ffmpeg {ffmpeg} MiB",
        file.name,
        length_of(&file.parts) as f64 / 1e6,
        all - upload_took,
    );
    assert!(most < before + MAX_GROWTH, "{}: {before} MiB before, {most} MiB", file.name);
    emptied(&camp.data("uploads")).await;
    emptied(&camp.data("converting")).await;
}

fn said(answer: &Answer, sentence: &str) -> String {
    let problem: Value = serde_json::from_str(&answer.body).expect("JSON");
    let detail = problem["detail"].as_str().expect("a sentence").to_owned();
    assert!(detail.starts_with(sentence), "{detail}");
    format!("refused: {detail}")
}

/// Compares the outcome of a conversion with what was expected, and its files with what ffprobe
/// sees in them.
async fn outcome(camp: &Camp, file: &File, upload: &str, ended: &Value) -> String {
    let sizes = match file.expected {
        Sizes(sizes) => sizes,
        Refused(sentence) | Failed(sentence) => {
            let problem = ended["problem"].as_str().unwrap_or_default();
            assert!(problem.starts_with(sentence), "{}: {ended}", file.name);
            return format!("refused: {problem}");
        }
    };
    let renditions = ended["renditions"].as_array().expect("sizes").clone();
    let made: Vec<String> =
        renditions.iter().map(|one| format!("{}x{}", one["width"], one["height"])).collect();
    assert_eq!(made.join(" "), sizes, "{}: {ended}", file.name);
    let folder = camp.data("files/videos").join(upload).join("1");
    for (width, height) in made.iter().filter_map(|size| size.split_once('x')) {
        let short = width.parse::<u32>().expect("a number").min(height.parse().expect("a number"));
        let path = folder.join(format!("{short}.mp4"));
        let entries = "codec_name,width,height,pix_fmt";
        let seen = shown(&path, "v:0", entries);
        assert_eq!(seen, format!("h264,{width},{height},yuv420p"), "{}", file.name);
        assert_eq!(shown(&path, "a:0", "codec_name"), "aac", "{}", file.name);
        assert_ne!(shown(&path, "v:0", "color_transfer"), "arib-std-b67", "{}", file.name);
    }
    format!("converted to {sizes}")
}

/// Waits until the folder is empty, because the space is freed a moment later.
async fn emptied(folder: &Path) {
    let begun = Instant::now();
    while std::fs::read_dir(folder).map_or(0, Iterator::count) > 0 {
        assert!(begun.elapsed() < Duration::from_secs(60), "{folder:?} is not empty");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Measures the memory of a process and of those that it starts.
struct Memory {
    ended: Arc<AtomicBool>,
    thread: std::thread::JoinHandle<HashMap<bool, u64>>,
    before: u64,
}

impl Memory {
    fn watch(id: u32) -> Memory {
        let ended = Arc::new(AtomicBool::new(false));
        let stop = ended.clone();
        let thread = std::thread::spawn(move || {
            let mut most = HashMap::new();
            while !stop.load(Ordering::Relaxed) {
                for (is_child, used) in family(id) {
                    let known = most.entry(is_child).or_default();
                    *known = used.max(*known);
                }
                std::thread::sleep(Duration::from_millis(50));
            }
            most
        });
        Memory { ended, thread, before: resident(id) }
    }

    /// In MiB: the process before, the process at its peak, and the largest process that it
    /// started.
    fn end(self) -> (u64, u64, u64) {
        self.ended.store(true, Ordering::Relaxed);
        let most = self.thread.join().expect("no panic");
        let of = |is_child| most.get(&is_child).copied().unwrap_or_default() >> 10;
        (self.before >> 10, of(false).max(self.before >> 10), of(true))
    }
}

/// The memory of the process and of its children, in KiB.
fn family(id: u32) -> Vec<(bool, u64)> {
    let mut all = vec![(false, resident(id))];
    for entry in std::fs::read_dir("/proc").expect("processes").flatten() {
        let Some(child) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let parent = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1));
        if parent == Some(&id.to_string()) {
            all.push((true, resident(child)));
        }
    }
    all
}

/// The resident memory in KiB.
fn resident(id: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or_default()
}
