"""The plugin that tells us what OpenCode, or a fork of it, does. It never throws and never makes the agent wait.

It reads the address from the file beside it, posts events in their order, and compares states with the last ones,
because they repeat. It exports nothing but the plugin: the loader refuses anything else. Spec: harnesses, OpenCode.
"""

from __future__ import annotations

from typing import Final

PLUGIN_FILE: Final = "cardloom-plugin.js"

PLUGIN: Final = """\
import { readFileSync } from "node:fs"

const { url, allows } = JSON.parse(readFileSync(new URL("./post.json", import.meta.url), "utf8"))
const ABOUT = /^(session\\.(created|status|error|execution\\.|retry\\.)|permission\\.|question\\.|form\\.)/
const sessions = new Map()
const replies = new Map()
let posted = Promise.resolve()

const session = (id) => {
  if (!sessions.has(id)) sessions.set(id, {})
  return sessions.get(id)
}

const post = (type, body) => {
  posted = posted
    .then(() =>
      fetch(`${url}/${type}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(2000),
      }),
    )
    .then((answer) => answer.arrayBuffer())
    .catch(() => {})
}

const ask = async (client, id) => {
  const known = session(id)
  try {
    const found = await client.session.get({ path: { id } })
    known.parent ??= found.data?.parentID ?? null
    known.title ??= found.data?.title ?? null
  } catch {
    known.parent ??= null
  }
}

// The next event does not wait until this one was dealt with: all of a session wait for the one answer, in their order.
const learn = async (client, id) => {
  const known = session(id)
  known.asked ??= ask(client, id)
  await known.asked
  return known
}

const remember = (type, properties) => {
  const info = properties.info
  if (type.startsWith("session.") && info?.id) {
    session(info.id).asked ??= Promise.resolve()
    Object.assign(session(info.id), { parent: info.parentID ?? null, title: info.title ?? null })
  }
  if (type === "message.updated" && info?.role === "assistant") {
    session(info.sessionID).last = info.id
    session(info.sessionID).agent = info.agent ?? info.mode
    if (info.providerID && info.modelID) session(info.sessionID).model = `${info.providerID}/${info.modelID}`
  }
  const part = properties.part
  if (type === "message.part.updated" && part?.type === "text" && !part.synthetic && !part.ignored) {
    if (!replies.has(part.sessionID)) replies.set(part.sessionID, new Map())
    replies.get(part.sessionID).set(part.id, { message: part.messageID, text: part.text ?? "" })
  }
}

const reply = (id) => {
  const parts = [...(replies.get(id)?.values() ?? [])].filter((part) => part.message === session(id).last)
  replies.delete(id)
  return parts.map((part) => part.text).join("") || null
}

const allow = async (client, session, id) => {
  try {
    await client.postSessionIdPermissionsPermissionId({
      path: { id: session, permissionID: id },
      body: { response: "once" },
    })
  } catch {
    // answered elsewhere meanwhile, or still open: then the person sees the question
  }
}

export const Cardloom = async ({ client }) => ({
  event: async ({ event }) => {
    try {
      const at = Date.now()
      const { type } = event
      const properties = event.properties ?? event.data ?? {}
      remember(type, properties)
      if (!ABOUT.test(type)) return
      if (allows && type === "permission.asked") void allow(client, properties.sessionID, properties.id)
      const id = properties.sessionID ?? properties.info?.id
      const known = id ? await learn(client, id) : {}
      const state = properties.status?.type
      if (type === "session.status" && state !== "retry") {
        if ((known.state ?? "idle") === state) return
        known.state = state
      }
      post(type, {
        properties,
        at,
        parent: known.parent ?? null,
        title: known.title ?? null,
        agent: known.agent ?? null,
        model: known.model ?? null,
        reply: state === "idle" ? reply(id) : null,
      })
    } catch {
      // a plugin that fails must not take the program with it; the status then comes from elsewhere
    }
  },
})
"""
