// Talks to the address in the first argument as any AG-UI front end would, with the official client and its
// verification of events, and prints what it has in the end. A violation of the protocol rejects the run.
import { createRequire } from 'node:module'

const [url, key, modules] = process.argv.slice(2)
const { HttpAgent } = createRequire(modules)('@ag-ui/client')

const agent = new HttpAgent({ url, threadId: 'thread 1', headers: { authorization: `Bearer ${key}` } })
const report = []

async function say(content, more = {}) {
  const types = []
  if (content !== null) agent.addMessage({ id: `u${report.length}`, role: 'user', content })
  let failure = null
  try {
    await agent.runAgent(more, { onEvent: ({ event }) => void types.push(event.type) })
  } catch (error) {
    failure = String(error.message ?? error)
  }
  report.push({ types, failure, messages: structuredClone(agent.messages) })
  return types
}

await say('hello')
await say('tool')
await say('permission')
const interrupts = agent.pendingInterrupts ?? []
await say(null, { resume: interrupts.map((one) => ({ interruptId: one.id, status: 'resolved', payload: 'yes' })) })
await say('fail')
console.log(JSON.stringify(report))
