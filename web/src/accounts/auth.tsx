import { useEffect, useRef, useState, type RefObject } from "react";
import { useQuery } from "@tanstack/react-query";
import { isApiError, type SessionUser } from "../api/client";
import { useSession, useSite } from "../api/queries";
import { useSessionChanged } from "../api/session";
import { useAction } from "../api/use-action";
import { deleteUnsent } from "../lib/delete-unsent";
import { explain, required, text, useForm, type Errors } from "../lib/forms";
import { Link, Redirect } from "../lib/navigation";
import { useSearchParams } from "../lib/address";
import { PageMeta } from "../lib/page";
import { paths } from "../lib/paths";
import { safeNext } from "../lib/safe-next";
import { Button, buttonLook } from "../ui/button";
import { EmailInput, Field, FormMessage, PasswordInput, TextInput } from "../ui/field";
import { Segmented } from "../ui/segmented";
import { SmallSheet } from "../ui/small-sheet";
import { Skeleton } from "../ui/states";
import { dismissToasts, errorToast, toast } from "../ui/toast";
import { invitationQuery, signIn, signOut, signUp } from "./queries";
import { accountFields, keepUnsentAccount, readUnsentAccount } from "./unsent-account";
import "../ui/more-icons";

export default function Auth() {
  const { user } = useSession();
  const [params] = useSearchParams();
  const [done, setDone] = useState(false);
  const invite = params.get("invite") ?? "";
  const invitation = useQuery(invitationQuery(invite));

  if (user && (done || invite === "" || invitation.isError)) {
    return <Redirect to={safeNext(params.get("next"))} replace />;
  }
  if (invite && invitation.isPending) {
    return (
      <SmallSheet title="Your invitation">
        <div role="status" aria-label="Loading your invitation" className="grid gap-5">
          {Array.from({ length: 4 }, (_, i) => (
            <Skeleton key={i} className="h-11" />
          ))}
        </div>
      </SmallSheet>
    );
  }
  if (user) return <OtherAccount user={user} invited={invitation.data} />;
  return (
    <AuthForm
      invite={invitation.data ? invite : ""}
      prefill={invitation.data ?? null}
      inviteProblem={invitation.error ? explain(invitation.error) : null}
      onDone={() => setDone(true)}
    />
  );
}

/** Shown when somebody who is signed in opens an invitation, which needs a new account. */
function OtherAccount({ user, invited }: { user: SessionUser; invited: Prefill | undefined }) {
  const sessionChanged = useSessionChanged();
  const leave = useAction({
    mutationFn: signOut,
    onSuccess: () => {
      deleteUnsent();
      return sessionChanged(null);
    },
    onError: (error) => errorToast(explain(error)),
  });
  return (
    <SmallSheet title="Your invitation">
      <PageMeta title="Your invitation" description="Create an account with your invitation." />
      <p className="wrap-anywhere">
        This invitation is for{" "}
        <b className="font-medium">
          <bdi>{invited?.full_name || invited?.email || "a family"}</bdi>
        </b>
        . You are signed in as{" "}
        <b className="font-medium">
          <bdi>{user.email}</bdi>
        </b>
        .
      </p>
      <Button busy={leave.isPending} onClick={() => leave.mutate()}>
        Sign out and use the invitation
      </Button>
      <Link to={paths.home} className={buttonLook("line")}>
        Stay signed in
      </Link>
    </SmallSheet>
  );
}

type UserType = "parent" | "visitor";
type Prefill = { email?: string | null; full_name: string; child_name?: string | null; user_type: UserType };

const scene = {
  picture: "/art/hero-night.svg",
  text: "Comment, keep your favorite videos, and get an email when tonight’s video is up.",
};

/** The picture above the form. On a wide screen it is beside the form and equally tall. */
export const Shell = () => (
  <div className="lg:hidden">
    <SmallSheet scene={scene} />
  </div>
);

type AuthFormProps = { invite: string; prefill: Prefill | null; inviteProblem: string | null; onDone: () => void };

function AuthForm({ invite, prefill, inviteProblem, onDone }: AuthFormProps) {
  const site = useSite();
  const [userType, setUserType] = useState<UserType>(prefill?.user_type ?? readUnsentAccount().user_type ?? "parent");
  const closed = site?.registrations_open === false && !invite;
  const { creating, switchMode, password } = useMode(closed, invite);
  const { busy, errors, message, form } = useAuthForm({ creating, userType, invite, password, switchMode, onDone });
  usePrefillToast(prefill !== null);
  const change = (type: UserType) => {
    setUserType(type);
    keepUnsentAccount({ user_type: type });
  };

  return (
    <SmallSheet title={creating ? "Create Account" : "Welcome Back"} scene={scene}>
      <PageMeta
        title={creating ? "Create Account" : "Sign In"}
        description="Sign in to comment, like videos and get emails from camp."
      />
      {inviteProblem && <FormMessage>{inviteProblem}</FormMessage>}
      <form {...form} method="post" className="grid gap-4">
        {creating && <NewAccountFields prefill={prefill} userType={userType} onUserType={change} errors={errors} />}
        <Field label="Email" error={errors.email}>
          <EmailInput name="email" defaultValue={prefill?.email ?? readUnsentAccount().email} required />
        </Field>
        <Field
          label="Password"
          error={errors.password}
          hint={creating && site ? `At least ${site.password_min_length} characters.` : undefined}
        >
          <PasswordInput
            ref={password}
            name="password"
            autoComplete={creating ? "new-password" : "current-password"}
            maxLength={128}
            required
          />
        </Field>
        <FormMessage>{message}</FormMessage>
        <Button type="submit" busy={busy}>
          {creating ? (busy ? "Creating Account..." : "Create Account") : busy ? "Signing In..." : "Sign In"}
        </Button>
      </form>
      {!creating && (
        <Link to={paths.forgot} className="link -my-2 inline-flex min-h-tap items-center justify-self-start text-sm">
          Forgot your password?
        </Link>
      )}
      <OtherMode closed={closed} creating={creating} onSwitch={switchMode} />
    </SmallSheet>
  );
}

type Mode = "create" | "sign-in";

/** Whether the form signs in or creates an account, which the URL records. Switching clears the password. */
function useMode(closed: boolean, invite: string) {
  const password = useRef<HTMLInputElement>(null);
  const [params, setParams] = useSearchParams();
  const creating = !closed && (params.get("mode") ?? (invite ? "create" : "sign-in")) === "create";

  function switchMode(mode: Mode) {
    setParams(
      (now) => {
        now.set("mode", mode);
        return now;
      },
      { replace: true },
    );
    if (password.current) password.current.value = "";
  }

  return { creating, switchMode, password };
}

type AuthFormOptions = {
  creating: boolean;
  userType: UserType;
  invite: string;
  password: RefObject<HTMLInputElement | null>;
  switchMode: (mode: Mode) => void;
  onDone: () => void;
};

function useAuthForm({ creating, userType, invite, password, switchMode, onDone }: AuthFormOptions) {
  const sessionChanged = useSessionChanged();
  const asksForChild = creating && userType === "parent";
  return useForm({
    check: required({
      ...(creating ? { name: "Please enter your name." } : {}),
      ...(asksForChild ? { child_name: "Please enter your child's name." } : {}),
      email: "Please enter your email.",
      password: "Please enter your password.",
    }),
    submit: (data) => {
      const [email, secret] = [text(data, "email").trim(), text(data, "password")];
      if (!creating) return signIn({ email, password: secret });
      return signUp({
        name: text(data, "name").trim(),
        email,
        password: secret,
        user_type: userType,
        child_name: asksForChild ? text(data, "child_name").trim() : null,
        ...(invite ? { invite } : {}),
      });
    },
    keep: (typed) => keepUnsentAccount(typed && accountFields(typed)),
    done: async ({ user, linked }) => {
      dismissToasts();
      onDone();
      welcome(creating, linked, user.email_verified);
      await sessionChanged(user);
    },
    failed: (error) => {
      if (creating && isApiError(error, "taken")) {
        toast({
          title: "Account Exists",
          description: "This email is already registered. Please sign in instead.",
          destructive: true,
        });
        switchMode("sign-in");
        password.current?.focus();
        return true;
      }
      toast({
        title: creating ? "Signup Failed" : "Login Failed",
        description: isApiError(error) ? explain(error) : "An unexpected error occurred",
        destructive: true,
      });
      return false;
    },
  });
}

type OtherModeProps = { closed: boolean; creating: boolean; onSwitch: (mode: Mode) => void };

const OtherMode = ({ closed, creating, onSwitch }: OtherModeProps) => (
  <div className="border-t border-line pt-4 text-sm">
    {closed ? (
      <p className="text-muted">Sign-up is closed right now. Please contact the camp if you need an account.</p>
    ) : (
      <p className="flex flex-wrap items-center justify-between gap-x-3">
        <span className="text-muted">{creating ? "Already have an account?" : "New here?"}</span>
        <Button look="quiet" className="-me-2.5" onClick={() => onSwitch(creating ? "sign-in" : "create")}>
          {creating ? "Sign in instead" : "Create an account"}
        </Button>
      </p>
    )}
  </div>
);

function welcome(created: boolean, linked: boolean, verified: boolean) {
  if (created) {
    const description = verified ? "You are now signed in." : "Please check your email to confirm your account.";
    toast({
      title: "Account Created",
      description: linked ? "Your account has been created and linked to your existing profile!" : description,
    });
  } else if (linked) {
    toast({ title: "Welcome!", description: "Your account has been created and linked to your pre-existing profile." });
  }
}

type NewAccountProps = {
  prefill: Prefill | null;
  userType: UserType;
  onUserType: (userType: UserType) => void;
  errors: Errors;
};

/** The fields of a new account. Those that the invitation fills in cannot be changed. */
const NewAccountFields = ({ prefill, userType, onUserType, errors }: NewAccountProps) => (
  <>
    {!prefill && (
      <div className="grid gap-1.5">
        <p className="text-sm font-medium" aria-hidden="true">
          I am a
        </p>
        <Segmented
          label="I am a"
          value={userType}
          options={[
            { value: "parent", label: "Parent" },
            { value: "visitor", label: "Visitor" },
          ]}
          onChange={onUserType}
        />
      </div>
    )}
    <Field label="Your Name" error={errors.name}>
      <TextInput
        name="name"
        autoComplete="name"
        dir="auto"
        maxLength={120}
        defaultValue={prefill?.full_name ?? readUnsentAccount().name}
        readOnly={Boolean(prefill?.full_name)}
        required
      />
    </Field>
    {userType === "parent" && (
      <Field label="Child's Name" error={errors.child_name}>
        <TextInput
          name="child_name"
          autoComplete="off"
          dir="auto"
          maxLength={200}
          defaultValue={prefill?.child_name ?? readUnsentAccount().child_name}
          readOnly={Boolean(prefill?.child_name)}
          required
        />
      </Field>
    )}
  </>
);

function usePrefillToast(prefilled: boolean) {
  const said = useRef(false);
  useEffect(() => {
    if (!prefilled || said.current) return;
    said.current = true;
    toast({
      title: "Information Pre-filled",
      description: "Your name and your child's name come from the camp's list.",
    });
  }, [prefilled]);
}
