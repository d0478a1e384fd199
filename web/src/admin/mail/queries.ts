import { infiniteQueryOptions, keepPreviousData, queryOptions, useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client";
import type { components, operations } from "../../api/schema.gen";
import { asStaff } from "../shared/session";
import { ignoreNotFound } from "../shared/missing-records";

type Schemas = components["schemas"];
export type FailedMail = Schemas["FailedMail"];
export type RefusedAddress = Schemas["RefusedAddress"];
export type MailReport = Schemas["MailReport"];
export type SampleName = Schemas["MailSampleName"];
export type Sample = Schemas["MailSample"];
export type About = NonNullable<NonNullable<operations["get_admin_mail_failed"]["parameters"]["query"]>["about"]>;

export const failedQuery = (about: About | null) =>
  infiniteQueryOptions({
    queryKey: ["admin", "mail", "failed", about],
    queryFn: ({ pageParam, signal }) =>
      asStaff(
        api.GET("/api/admin/mail/failed", {
          params: { query: { limit: 50, ...(about ? { about } : {}), ...(pageParam ? { cursor: pageParam } : {}) } },
          signal,
        }),
      ),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
    placeholderData: keepPreviousData,
  });

export const refusedQuery = infiniteQueryOptions({
  queryKey: ["admin", "mail", "refused"],
  queryFn: ({ pageParam, signal }) =>
    asStaff(
      api.GET("/api/admin/mail/refused", {
        params: { query: { limit: 50, ...(pageParam ? { cursor: pageParam } : {}) } },
        signal,
      }),
    ),
  initialPageParam: "",
  getNextPageParam: ({ next }) => next,
  select: ({ pages }) => pages.flatMap(({ items }) => items),
});

export const reportsQuery = infiniteQueryOptions({
  queryKey: ["admin", "mail", "reports"],
  queryFn: ({ pageParam, signal }) =>
    asStaff(
      api.GET("/api/admin/mail/reports", {
        params: { query: { limit: 50, ...(pageParam ? { cursor: pageParam } : {}) } },
        signal,
      }),
    ),
  initialPageParam: "",
  getNextPageParam: ({ next }) => next,
  select: ({ pages }) => pages.flatMap(({ items }) => items),
});

export const samplesQuery = queryOptions({
  queryKey: ["admin", "mail", "samples"],
  queryFn: async ({ signal }) => (await asStaff(api.GET("/api/admin/mail/samples", { signal }))).items,
});

export const sampleQuery = (name: string) =>
  queryOptions({
    queryKey: ["admin", "mail", "samples", name],
    queryFn: ({ signal }) => asStaff(api.GET("/api/admin/mail/samples/{name}", { params: { path: { name } }, signal })),
  });

export const testSample = (name: string) =>
  asStaff(api.POST("/api/admin/mail/samples/{name}/test", { params: { path: { name } } }));

/** The server accepts a hundred at a time. */
const most = 100;

export async function sendAgain(mails: FailedMail[]) {
  let queued = 0;
  for (let from = 0; from < mails.length; from += most) {
    const part = mails.slice(from, from + most).map(({ notification_id, email }) => ({ notification_id, email }));
    queued += (await asStaff(api.POST("/api/admin/mail/failed/send-again", { body: { mails: part } }))).queued;
  }
  return queued;
}

/** If somebody else has already allowed the address, that is not an error. */
export const letThrough = (email: string) =>
  ignoreNotFound(asStaff(api.POST("/api/admin/mail/refused/let-through", { body: { email } })));

/** Call after emails were sent again or an address was allowed. Refetches all counts. */
export function useMailChanged() {
  const client = useQueryClient();
  return () =>
    Promise.all(
      ["mail", "dashboard", "users", "videos", "counts", "deliveries", "letters", "messages", "live-updates"].map(
        (part) => client.invalidateQueries({ queryKey: ["admin", part] }),
      ),
    );
}
