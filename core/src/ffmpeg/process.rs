//! Runs ffmpeg and ffprobe at low priority, with limits on time and memory, without the network.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::{FAILED, Failure, NO_SPACE, TOO_SLOW};
use crate::config::Config;

/// 4K video with a high dynamic range needs about 2 GB.
const MEMORY: u64 = 6 << 30;
const LOG_BYTES: usize = 4096;
const OUTPUT_BYTES: u64 = 4 << 20;
const PROBE_LIMIT: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(20);

/// The programs of ffmpeg on this machine.
#[derive(Debug, Clone)]
pub struct Tools {
    ffmpeg: PathBuf,
    ffprobe: PathBuf,
    /// Programs that start another one with limits, each with its arguments.
    wrappers: Vec<OsString>,
}

type OnLine = Box<dyn FnMut(&str) + Send>;

impl Tools {
    /// Finds ffmpeg at `--ffmpeg` or else on the `PATH`, and ffprobe beside it. Returns `None` if one
    /// of them is missing.
    pub fn find(config: &Config) -> Option<Tools> {
        Tools::at(config.ffmpeg.as_deref())
    }

    pub(super) fn at(path: Option<&Path>) -> Option<Tools> {
        let ffmpeg = match path {
            Some(path) => path.to_owned(),
            None => on_path("ffmpeg")?,
        };
        let ffprobe = ffmpeg.with_file_name("ffprobe");
        let both = ffmpeg.is_file() && ffprobe.is_file();
        both.then(|| Tools { ffmpeg, ffprobe, wrappers: wrappers() })
    }

    /// The version as ffmpeg prints it, such as `5.1.9`. Returns `None` if it does not start.
    pub async fn version(&self) -> Option<String> {
        let command = self.command(&self.ffmpeg, vec!["-version".into()]);
        let (status, stdout, _) = run(command, PROBE_LIMIT, None).await.ok()?;
        let text = String::from_utf8_lossy(&stdout);
        let version = text.strip_prefix("ffmpeg version ")?.split_whitespace().next()?;
        status.success().then(|| version.to_owned())
    }

    pub(super) fn threads(&self) -> usize {
        std::thread::available_parallelism().map_or(2, usize::from).min(8)
    }

    /// Runs ffmpeg in that folder, which relative names refer to.
    pub(super) async fn ffmpeg(
        &self,
        arguments: Vec<OsString>,
        folder: &Path,
        limit: Duration,
        on_line: Option<OnLine>,
    ) -> Result<(), Failure> {
        let always = ["-nostdin", "-hide_banner", "-v", "error", "-y", "-progress", "pipe:1"];
        let arguments = always.map(OsString::from).into_iter().chain(arguments).collect();
        let mut command = self.command(&self.ffmpeg, arguments);
        command.current_dir(folder);
        let (status, _, log) = run(command, limit, on_line).await?;
        match status.success() {
            true => Ok(()),
            false if log.contains("No space left on device") => Err(Failure::new(NO_SPACE, log)),
            false => Err(Failure::new(FAILED, format!("{log}\n{status}").trim())),
        }
    }

    /// Returns the output of ffprobe, or its log if it failed.
    pub(super) async fn ffprobe(
        &self,
        arguments: Vec<OsString>,
    ) -> Result<Result<Vec<u8>, String>, Failure> {
        let command = self.command(&self.ffprobe, arguments);
        let (status, stdout, log) = run(command, PROBE_LIMIT, None).await?;
        Ok(if status.success() { Ok(stdout) } else { Err(log) })
    }

    fn command(&self, program: &Path, arguments: Vec<OsString>) -> Command {
        let mut words = self.wrappers.iter().cloned().chain([program.into()]).chain(arguments);
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Ctrl-C goes to the whole group of the worker. ffmpeg would end and look as if it had failed.
        command.process_group(0);
        command
    }
}

/// The arguments that open an input. Only this file is read, in this format.
pub(super) fn input(
    path: &(impl AsRef<Path> + ?Sized),
    demuxer: &str,
    options: &[&str],
) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = options.iter().map(Into::into).collect();
    arguments.extend(["-protocol_whitelist", "file", "-f", demuxer, "-i"].map(Into::into));
    // With the protocol, a name with a colon is still the name of a file.
    let mut name = OsString::from("file:");
    name.push(path.as_ref());
    arguments.push(name);
    arguments
}

/// Each of these programs replaces itself with the next one, so that the last one still has the id
/// that is killed, and the signal on the death of its parent.
fn wrappers() -> Vec<OsString> {
    let memory = format!("--as={MEMORY}");
    let all: [&[&str]; 4] = [
        &["setpriv", "--pdeathsig", "KILL"],
        &["nice", "-n", "19"],
        &["ionice", "-t", "-c", "3"],
        &["prlimit", &memory, "--core=0"],
    ];
    let mut words = Vec::new();
    for wrapper in all {
        if let Some(program) = on_path(wrapper[0]) {
            words.push(program.into());
            words.extend(wrapper[1..].iter().map(Into::into));
        }
    }
    words
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// Runs a command to its end and returns its output and the end of its log. It is killed after
/// `limit`, or when the future is dropped.
async fn run(
    command: Command,
    limit: Duration,
    on_line: Option<OnLine>,
) -> Result<(ExitStatus, Vec<u8>, String), Failure> {
    let dropped = Arc::new(AtomicBool::new(false));
    let guard = SetOnDrop(dropped.clone());
    let deadline = Instant::now() + limit;
    // The child dies with the thread that started it, so this thread also waits for it.
    let ended =
        tokio::task::spawn_blocking(move || run_blocking(command, deadline, &dropped, on_line));
    let ended = ended.await.map_err(|error| Failure::new(FAILED, error.to_string()))?;
    drop(guard);
    ended
}

struct SetOnDrop(Arc<AtomicBool>);

impl Drop for SetOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn run_blocking(
    mut command: Command,
    deadline: Instant,
    dropped: &AtomicBool,
    on_line: Option<OnLine>,
) -> Result<(ExitStatus, Vec<u8>, String), Failure> {
    let mut child = command.spawn()?;
    let stdout = child.stdout.take().map(|pipe| read_output(pipe, on_line));
    let stderr = child.stderr.take().map(read_log);
    let status = wait(&mut child, deadline, dropped);
    let stdout = stdout.and_then(|thread| thread.join().ok()).unwrap_or_default();
    let log = stderr.and_then(|thread| thread.join().ok()).unwrap_or_default();
    match status? {
        Some(status) => Ok((status, stdout, log)),
        None => Err(Failure::new(TOO_SLOW, log)),
    }
}

/// Returns `None` if the child had to be killed.
fn wait(
    child: &mut Child,
    deadline: Instant,
    dropped: &AtomicBool,
) -> std::io::Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if dropped.load(Ordering::Relaxed) || Instant::now() > deadline {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(POLL);
    }
}

fn read_output(pipe: impl Read + Send + 'static, on_line: Option<OnLine>) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut output = Vec::new();
        match on_line {
            Some(mut on_line) => {
                BufReader::new(pipe).lines().map_while(Result::ok).for_each(|line| on_line(&line));
            }
            None => {
                pipe.take(OUTPUT_BYTES).read_to_end(&mut output).ok();
            }
        }
        output
    })
}

/// Keeps the end of the log.
fn read_log(pipe: impl Read + Send + 'static) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut kept: Vec<u8> = Vec::new();
        let mut pipe = BufReader::new(pipe);
        while let Ok(bytes) = pipe.fill_buf()
            && !bytes.is_empty()
        {
            let length = bytes.len();
            kept.extend_from_slice(bytes);
            pipe.consume(length);
            let surplus = kept.len().saturating_sub(LOG_BYTES);
            kept.drain(..surplus);
        }
        String::from_utf8_lossy(&kept).trim().to_owned()
    })
}
