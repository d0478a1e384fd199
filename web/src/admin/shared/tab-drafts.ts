const prefix = "draft";
const address = (staffId: string, what: string) => `${prefix} ${staffId} ${what}`;

/**
 * What somebody on the staff writes to everybody, as their tab holds it over a reload. It goes with the tab and with
 * signing out. Nothing of a family belongs here: drafts of answers are kept by the server.
 */
export function keptHere(staffId: string, what: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(address(staffId, what)) ?? "null");
  } catch {
    return null;
  }
}

/** Null forgets it. */
export function keepHere(staffId: string, what: string, value: object | null) {
  try {
    if (value) sessionStorage.setItem(address(staffId, what), JSON.stringify(value));
    else sessionStorage.removeItem(address(staffId, what));
  } catch {
    // Then it does not outlive a reload.
  }
}

/** Somebody signed in or out: what others wrote here is not for them. */
export function keepOnlyOf(staffId: string | undefined) {
  try {
    const drafts = Object.keys(sessionStorage).filter((key) => key.startsWith(`${prefix} `));
    drafts.filter((key) => !staffId || !key.startsWith(address(staffId, ""))).forEach((key) => sessionStorage.removeItem(key));
  } catch {
    // Nothing was kept either.
  }
}
