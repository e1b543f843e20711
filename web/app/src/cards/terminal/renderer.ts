import { WebglAddon } from "@xterm/addon-webgl";
import type { Terminal } from "@xterm/xterm";

/** A browser gives a page some sixteen drawing contexts; what is left over is for others. */
const maxContexts = 8;
let contexts = 0;
let hasGpu: boolean | null = null;

/** Draws by the graphics card where there is one and a context is free; else the terminal draws as the page does. */
export function drawFast(terminal: Terminal): void {
  if (contexts >= maxContexts || !gpuAvailable()) return;
  const addon = new WebglAddon();
  try {
    terminal.loadAddon(addon);
  } catch {
    // The browser refused the context although it had one to show; the plain renderer stays.
    addon.dispose();
    return;
  }
  contexts += 1;
  let released = false;
  const release = () => {
    if (released) return;
    released = true;
    contexts -= 1;
  };
  addon.onContextLoss(() => {
    release();
    addon.dispose();
  });
  const dispose = addon.dispose.bind(addon);
  addon.dispose = () => {
    release();
    dispose();
  };
}

/** Software drawing through a context is slower than the page's own. */
function gpuAvailable(): boolean {
  if (hasGpu !== null) return hasGpu;
  const context = document.createElement("canvas").getContext("webgl2");
  const info = context?.getExtension("WEBGL_debug_renderer_info");
  const name = info ? String(context?.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
  hasGpu = context !== null && !/swiftshader|llvmpipe|software|basic render/i.test(name);
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return hasGpu;
}
