/** The steps of a release as values: every change gives a new list. A step is `{id, text, by, note}`; `by` ticked it. */

export const FIRST_STEPS = ["Tests pass", "Changelog is written", "Version is raised", "Tag is pushed"];

export function firstSteps() {
  return FIRST_STEPS.reduce((steps, text) => added(steps, text), []);
}

export function added(steps, text) {
  const id = steps.reduce((most, step) => Math.max(most, step.id), 0) + 1;
  return [...steps, { id, text, by: null, note: null }];
}

/** The steps with one ticked off by somebody, or open again with null. Throws for a number that no step has. */
export function ticked(steps, id, by, note = null) {
  if (!steps.some((step) => step.id === id)) throw new Error(`There is no step ${id}.`);
  return steps.map((step) => (step.id === id ? { ...step, by, note: by === null ? null : note } : step));
}

/** Steps for the tasks of another card that are not there yet. */
export function withTasks(steps, tasks) {
  const known = new Set(steps.map((step) => step.text));
  return tasks.reduce((all, { text }) => (known.has(text) ? all : (known.add(text), added(all, text))), steps);
}

export function openSteps(steps) {
  return steps.filter((step) => step.by === null);
}

/** The open steps as the output `open` has them. */
export function openTasks(steps) {
  return openSteps(steps).map(({ id, text }) => ({ id: String(id), text, status: "pending" }));
}
