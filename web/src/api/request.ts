import type { Client } from "openapi-fetch";
import type { paths } from "./schema.gen";

type Values = Record<string, unknown>;
type Init = Omit<RequestInit, "body" | "headers" | "method"> & {
  params?: { path?: Values; query?: Values; header?: Values };
  headers?: Record<string, string>;
  body?: unknown;
  parseAs?: "json" | "text" | "blob";
};
type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

const patience = 30_000;

/**
 * Sends the requests of the contract, with the types of openapi-fetch. Its code, of which most serves other contracts,
 * would be 2 KiB of what every page loads first.
 */
export const api = Object.fromEntries(
  ["GET", "POST", "PUT", "PATCH", "DELETE"].map((method) => [
    method,
    (address: string, init?: Init) => request(method, address, init),
  ]),
) as unknown as Pick<Client<paths>, Method>;

async function request(method: string, address: string, { params = {}, ...init }: Init = {}) {
  const { headers, body, signal, parseAs = "json", ...rest } = init;
  const isFile = body instanceof Blob;
  const timeout = AbortSignal.timeout(patience);
  const response = await fetch(
    new Request(addressOf(address, params), {
      ...rest,
      method,
      headers: new Headers(
        given({
          "Content-Type": body === undefined || isFile ? undefined : "application/json",
          ...params.header,
          ...headers,
        }),
      ),
      body: isFile ? body : JSON.stringify(body),
    }),
    { signal: signal && "any" in AbortSignal ? AbortSignal.any([signal, timeout]) : timeout },
  );
  if (response.ok && parseAs !== "json") return { data: await response[parseAs](), response };
  const text = await response.text();
  if (response.ok) return { data: text ? JSON.parse(text) : undefined, response };
  return { error: parsed(text), response };
}

function addressOf(address: string, { path = {}, query = {} }: NonNullable<Init["params"]>) {
  const pathname = address.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(path[name])));
  const search = given(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return location.origin + pathname + (search.length > 0 ? `?${search.join("&")}` : "");
}

const given = (values: Values) =>
  Object.entries(values).flatMap(([name, value]): [string, string][] => (value == null ? [] : [[name, String(value)]]));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
