import { useId, useRef, useState } from "react";
import { isApiError, type AdminVideo } from "../../api/client";
import { explain } from "../../lib/forms";
import { count } from "../../lib/format";
import { Button, IconButton } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { FieldError } from "../../ui/field";
import { toast } from "../../ui/toast";
import { requiresSignIn } from "../shared/session";
import { removeCaptions, setCaptions, useVideosChanged, type CaptionLanguage } from "./queries";

const languages: { code: CaptionLanguage; name: string }[] = [
  { code: "en", name: "English" },
  { code: "he", name: "Hebrew" },
  { code: "yi", name: "Yiddish" },
];

/** Captions in each language. They are saved as soon as a file is chosen. */
export function CaptionsField({ video }: { video: AdminVideo }) {
  const [captions, setAll] = useState(video.captions);
  const [busy, setBusy] = useState<ReadonlySet<CaptionLanguage>>(new Set());
  const [problem, setProblem] = useState("");
  const [removing, setRemoving] = useState<CaptionLanguage | null>(null);
  const videosChanged = useVideosChanged();
  const id = useId();

  async function send(language: CaptionLanguage, file: File) {
    setBusy((now) => new Set([...now, language]));
    setProblem("");
    try {
      const saved = await setCaptions(video.id, language, file);
      setAll((now) => [...now.filter((one) => one.language !== language), saved]);
      toast({ title: "Success", description: `${nameOf(language)} captions saved` });
      await videosChanged();
    } catch (error) {
      if (!requiresSignIn(error)) setProblem((isApiError(error) && error.fields["file"]) || explain(error));
    } finally {
      setBusy((now) => new Set([...now].filter((one) => one !== language)));
    }
  }

  return (
    <div role="group" aria-labelledby={id} className="grid gap-1">
      <p id={id} className="text-sm font-medium">
        Captions <span className="font-normal text-muted">(optional)</span>
      </p>
      <ul className="grid gap-1">
        {languages.map(({ code, name }) => {
          const set = captions.find(({ language }) => language === code);
          return (
            <li key={code} className="flex items-center">
              {/* On a narrow phone, the number is below the language. */}
              <span className="flex min-w-0 flex-1 flex-wrap items-baseline">
                <span className="w-20">{name}</span>
                <span className="text-sm text-muted tabular-nums">{set ? count(set.cues, "caption") : "None"}</span>
              </span>
              <FileButton busy={busy.has(code)} onPick={(file) => void send(code, file)}>
                {set ? "Replace" : "Choose a file"}
                <span className="sr-only"> for captions in {name}</span>
              </FileButton>
              {set && (
                <IconButton
                  icon="trash"
                  danger
                  label={`Remove captions in ${name}`}
                  title="Remove"
                  onClick={() => setRemoving(code)}
                />
              )}
            </li>
          );
        })}
      </ul>
      <p className="text-xs text-muted">WebVTT (.vtt) or SubRip (.srt). They are saved at once.</p>
      {problem && (
        <div role="alert">
          <FieldError>{problem}</FieldError>
        </div>
      )}
      {removing && (
        <ConfirmDialog
          title="Remove captions?"
          name={nameOf(removing)}
          action="Remove captions"
          onClose={() => setRemoving(null)}
          onConfirm={async () => {
            await removeCaptions(video.id, removing);
            setAll((now) => now.filter(({ language }) => language !== removing));
            await videosChanged();
          }}
        >
          Families can no longer turn them on.
        </ConfirmDialog>
      )}
    </div>
  );
}

const nameOf = (language: CaptionLanguage) => languages.find(({ code }) => code === language)!.name;

type FileButtonProps = { busy: boolean; onPick: (file: File) => void; children: React.ReactNode };

function FileButton({ busy, onPick, children }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button look="quiet" busy={busy} onClick={() => input.current?.click()}>
        {children}
      </Button>
      <input
        ref={input}
        type="file"
        accept=".vtt,.srt,text/vtt"
        hidden
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          currentTarget.value = "";
          if (file) onPick(file);
        }}
      />
    </>
  );
}
