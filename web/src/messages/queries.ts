import type { paths } from "../api/schema.gen";
import { api, send } from "../api/client";

export type NewMessage = paths["/api/contact"]["post"]["requestBody"]["content"]["application/json"];

export const writeToCamp = (body: NewMessage) => send(api.POST("/api/contact", { body }));
