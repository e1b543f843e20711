"""The extension that tells us what Pi does, and asks before it acts: Pi itself never asks.

Unless the agent runs in dangerous mode, commands and changes of files wait for the person. What the extension says
goes out in order and never makes Pi wait. Spec: agents' programs as they are, pi.
"""

from __future__ import annotations

from typing import Final

EXTENSION_FILE: Final = "cardloom-extension.ts"

EXTENSION: Final = """\
import { readFileSync } from "node:fs"

const { url, ask } = JSON.parse(readFileSync(new URL("./post.json", import.meta.url), "utf8"))
const ASKED = ["bash", "edit", "write"]
let posted: Promise<unknown> = Promise.resolve()
let asking: Promise<unknown> = Promise.resolve()

const post = (type: string, body: object) => {
  posted = posted
    .then(() =>
      fetch(`${url}/${type}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ ...body, at: Date.now() }),
        signal: AbortSignal.timeout(2000),
      }),
    )
    .then((answer: any) => answer.arrayBuffer())
    .catch(() => {})
  return posted
}

const session = (ctx: any) => ({
  session_id: ctx.sessionManager?.getSessionId?.() ?? null,
  transcript_path: ctx.sessionManager?.getSessionFile?.() ?? null,
  model: ctx.model ? `${ctx.model.provider}/${ctx.model.id}` : null,
})

const last = (messages: any[]) => {
  const found = [...(messages ?? [])].reverse().find((message) => message.role === "assistant")
  const text = (found?.content ?? []).filter((part: any) => part.type === "text").map((part: any) => part.text)
  return { reply: text.join("") || null, stop_reason: found?.stopReason ?? null, error: found?.errorMessage ?? null }
}

export default function (pi: any) {
  pi.on("session_start", async (event: any, ctx: any) => void post("session_start", session(ctx)))
  pi.on("agent_start", async (event: any, ctx: any) => void post("agent_start", session(ctx)))
  pi.on("agent_end", async (event: any, ctx: any) => void post("agent_end", last(event.messages)))
  pi.on("session_shutdown", async (event: any, ctx: any) => void (await post("session_shutdown", {})))
  pi.on("tool_call", async (event: any, ctx: any) => {
    if (!ask || !ctx.hasUI || !ASKED.includes(event.toolName)) return
    const turn = asking.then(async () => {
      post("ask", { id: event.toolCallId, tool: event.toolName, input: event.input })
      const what = event.input.command ?? event.input.path ?? ""
      const ok = await ctx.ui.confirm(`Allow ${event.toolName}?`, String(what))
      post("answered", { id: event.toolCallId, ok })
      return ok
    })
    asking = turn.catch(() => {})
    if (!(await turn)) return { block: true, reason: "The user did not allow this." }
  })
}
"""
