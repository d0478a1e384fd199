import createClient from "openapi-fetch";
import type { components, paths } from "./schema.gen";

type Schemas = components["schemas"];
export type Problem = Schemas["Problem"];
export type Site = Schemas["Site"];
export type SessionUser = Schemas["SessionUser"];
export type VideoCard = Schemas["VideoCard"];
export type Video = Schemas["Video"];
export type Comment = Schemas["Comment"];
export type Profile = Schemas["Profile"];
/** Fields that are left out stay unchanged. */
export type ProfilePatch = Schemas["ProfilePatch"];
export type LoginSession = Schemas["LoginSession"];
export type LiveUpdate = Schemas["LiveUpdate"];
export type FamilyPayment = Schemas["FamilyPayment"];
export type PaymentPlan = Schemas["PaymentPlan"];
export type Faq = Schemas["Faq"];
export type Product = Schemas["Product"];
export type Staff = Schemas["Staff"];
export type AdminVideo = Schemas["AdminVideo"];

/**
 * Why a request failed, on the server or on the way. `message` is a sentence to show, or empty if the sign-in dialog
 * says it.
 */
export class ApiError extends Error {
  override name = "ApiError";
  readonly code: string;
  readonly status: number;
  /** Messages, keyed by the field's name in the request. */
  readonly fields: Record<string, string>;
  /** The number of seconds before another try makes sense. */
  readonly retryAfter: number | null;
  readonly requestId: string | null;

  constructor(problem: Partial<Problem> & { code: string; detail: string }) {
    super(problem.detail);
    this.code = problem.code;
    this.status = problem.status ?? 0;
    this.fields = Object.fromEntries((problem.errors ?? []).map(({ field, message }) => [field, message]));
    this.retryAfter = problem.retry_after ?? null;
    this.requestId = problem.request_id ?? null;
  }
}

export const isApiError = (error: unknown, ...codes: string[]): error is ApiError =>
  error instanceof ApiError && (codes.length === 0 || codes.includes(error.code));

const requestTimeout = 30_000;

export const api = createClient<paths>({
  // Looks up `fetch` at each call, so that tests can replace it.
  fetch: (request) => {
    const timeout = AbortSignal.timeout(requestTimeout);
    const signal = "any" in AbortSignal ? AbortSignal.any([request.signal, timeout]) : timeout;
    return globalThis.fetch(request, { signal });
  },
  baseUrl: location.origin,
  credentials: "same-origin",
});

/** Awaits a call of `api` and returns its body, or throws an ApiError. */
export async function send<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const answer = await call.catch((cause: unknown) => {
    if (cause instanceof DOMException && cause.name === "AbortError") throw cause;
    throw unreachable();
  });
  if (answer.response.ok) return answer.data as T;
  throw fromProblem(answer.error, answer.response);
}

function unreachable() {
  return new ApiError({
    code: "network",
    detail: navigator.onLine
      ? "The camp's server cannot be reached right now. Please check your connection and try again."
      : "You seem to be offline. Please check your connection and try again.",
  });
}

function fromProblem(body: unknown, response: Response) {
  const wait = Number(response.headers.get("Retry-After")) || null;
  if (isProblem(body)) return new ApiError({ ...body, retry_after: body.retry_after ?? wait });
  const busy = [429, 502, 503, 504].includes(response.status);
  return new ApiError({
    status: response.status,
    code: busy ? "busy" : "internal",
    detail: busy
      ? "The camp's server is busy right now. Please try again in a moment."
      : "Something went wrong. Please try again.",
    retry_after: wait,
  });
}

const isProblem = (body: unknown): body is Problem =>
  typeof body === "object" && body !== null && "code" in body && "detail" in body && typeof body.detail === "string";
