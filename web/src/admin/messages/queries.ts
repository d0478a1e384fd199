import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useQueryClient,
  type InfiniteData,
} from "@tanstack/react-query";
import { api } from "../../api/client";
import type { components } from "../../api/schema.gen";
import { asStaff } from "../shared/session";
import { nullIfNotFound } from "../shared/missing-records";

type Schemas = components["schemas"];
export type Message = Schemas["Message"];
export type Reply = Schemas["MessageReply"];
export type MessagePatch = Schemas["MessagePatch"];
export type MessageStatus = Schemas["MessageStatus"];
export type Department = Schemas["Department"];
export type Letter = Schemas["SentLetter"];
export type NewLetter = Schemas["NewLetter"];
export type Audience = Schemas["Audience"];
export const audiences: readonly Audience[] = ["families", "mailing_list", "both"];
export type Subscriber = Schemas["Subscriber"];

export type InboxFilter = {
  q?: string;
  status?: MessageStatus;
  department?: Department;
  spam?: true;
  assigned_to?: string;
  unassigned?: true;
  sort?: "newest" | "oldest";
};

type Page<Item> = { items: Item[]; next?: string | null };

export const inboxQuery = (filter: InboxFilter) =>
  infiniteQueryOptions({
    queryKey: ["admin", "messages", filter],
    queryFn: ({ pageParam, signal }) =>
      asStaff(
        api.GET("/api/admin/messages", {
          params: { query: { ...filter, limit: 30, ...(pageParam ? { cursor: pageParam } : {}) } },
          signal,
        }),
      ),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
    placeholderData: keepPreviousData,
  });

export const messageCountsQuery = queryOptions({
  queryKey: ["admin", "message-counts"],
  queryFn: ({ signal }) => asStaff(api.GET("/api/admin/messages/counts", { signal })),
});

/** The colleagues whom a message can be assigned to. */
export const colleaguesQuery = queryOptions({
  queryKey: ["admin", "colleagues"],
  queryFn: async ({ signal }) => (await asStaff(api.GET("/api/admin/colleagues", { signal }))).usernames,
});

/** A message that is not in the list. It leaves the cache when it is closed. */
export const messageQuery = (id: string) =>
  queryOptions({
    queryKey: ["admin", "message", id],
    queryFn: () => asStaff(api.GET("/api/admin/messages/{id}", at(id))),
    gcTime: 0,
    // Polls faster while a reply is being sent.
    refetchInterval: ({ state }) => (state.data && awaitsDelivery(state.data) ? 4_000 : false),
  });

export const awaitsDelivery = ({ replies }: Message) => replies.some(({ delivery }) => delivery === "queued");

const at = (id: string) => ({ params: { path: { id } } });

export const readMessage = ({ id }: Message) => nullIfNotFound(asStaff(api.GET("/api/admin/messages/{id}", at(id))));

/** Fields that are left out stay unchanged. */
export const changeMessage = (id: string, body: MessagePatch) =>
  asStaff(api.PATCH("/api/admin/messages/{id}", { ...at(id), body }));
/** The last reply and the draft that the writer has seen. */
export type Seen = Omit<Schemas["NewMessageReply"], "body">;
export const replyTo = (id: string, body: string, seen: Seen) =>
  asStaff(api.POST("/api/admin/messages/{id}/reply", { ...at(id), body: { body, ...seen } }));
export const retryReplies = (id: string) => asStaff(api.POST("/api/admin/messages/{id}/retry", at(id)));
export const deleteMessage = (id: string) => asStaff(api.DELETE("/api/admin/messages/{id}", at(id)));

/** Call after any change to a message, with its new version, so that the list shows it at once. */
export function useMessagesChanged() {
  const client = useQueryClient();
  return (fresh?: Message) => {
    if (fresh) {
      client.setQueriesData<InfiniteData<Page<Message>>>(
        { queryKey: ["admin", "messages"] },
        (data) =>
          data && {
            ...data,
            pages: data.pages.map((page) => ({
              ...page,
              items: page.items.map((one) => (one.id === fresh.id ? fresh : one)),
            })),
          },
      );
    }
    return Promise.all(
      ["messages", "message-counts", "dashboard"].map((part) =>
        client.invalidateQueries({ queryKey: ["admin", part] }),
      ),
    );
  };
}

const everyLetter = ["admin", "letters"] as const;

export const lettersQuery = (audience: Audience | null) =>
  infiniteQueryOptions({
    queryKey: [...everyLetter, audience],
    queryFn: ({ pageParam, signal }) =>
      asStaff(
        api.GET("/api/admin/letters", {
          params: { query: { limit: 20, ...(audience && { audience }), ...(pageParam ? { cursor: pageParam } : {}) } },
          signal,
        }),
      ),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
    placeholderData: keepPreviousData,
  });

/** How many addresses a newsletter would reach now. */
export const letterReachQuery = (audience: Audience) =>
  queryOptions({
    queryKey: ["admin", "letter-reach", audience],
    queryFn: async ({ signal }) =>
      (
        await asStaff(
          api.POST("/api/admin/letters", { body: { subject: "", body: "", audience, preview: true }, signal }),
        )
      ).recipients,
  });

export const sendLetter = (body: NewLetter, key: string) =>
  asStaff(api.POST("/api/admin/letters", { body, params: { header: { "Idempotency-Key": key } } }));
/** Emails the newsletter only to the signed-in person. */
export const testLetter = (body: Schemas["TestLetter"]) => asStaff(api.POST("/api/admin/letters/test", { body }));
export const retryLetter = (id: string) => asStaff(api.POST("/api/admin/letters/{id}/deliveries/retry", at(id)));

export const subscribersQuery = (q: string) =>
  infiniteQueryOptions({
    queryKey: ["admin", "subscribers", q],
    queryFn: ({ pageParam, signal }) =>
      asStaff(
        api.GET("/api/admin/subscribers", {
          params: { query: { limit: 50, ...(q ? { q } : {}), ...(pageParam ? { cursor: pageParam } : {}) } },
          signal,
        }),
      ),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
    placeholderData: keepPreviousData,
  });

export const removeSubscriber = (id: string) => asStaff(api.DELETE("/api/admin/subscribers/{id}", at(id)));
export const subscribersCsv = "/api/admin/subscribers/export.csv";
