import { api, send } from "../api/client";

export const subscribe = (email: string) => send(api.POST("/api/subscribe", { body: { email } }));
export const confirmSubscription = (token: string) => send(api.POST("/api/subscribe/confirm", { body: { token } }));
