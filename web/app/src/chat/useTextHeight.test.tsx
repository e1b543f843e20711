import { render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { useTextHeight } from "./useTextHeight";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

function Field({ text }: { text: string }) {
  const field = useTextHeight(text);
  return <textarea ref={field} readOnly value={text} />;
}

test("a field that was out of sight gets the height of its text once it is seen, and again when it narrows", () => {
  let told = () => undefined as void;
  vi.stubGlobal(
    "ResizeObserver",
    class {
      constructor(tell: () => void) {
        told = tell;
      }
      observe() {}
      disconnect() {}
    },
  );
  const width = vi.spyOn(HTMLElement.prototype, "offsetWidth", "get").mockReturnValue(0);
  const height = vi.spyOn(HTMLElement.prototype, "scrollHeight", "get").mockReturnValue(0);
  const { rerender } = render(<Field text="one" />);
  const field = screen.getByRole("textbox");
  expect(field.style.height).toBe("");

  const measured = (widthPx: number, heightPx: number) => {
    width.mockReturnValue(widthPx);
    height.mockReturnValue(heightPx);
    told();
    return field.style.height;
  };
  expect(measured(300, 24)).toBe("24px");
  expect(measured(150, 44)).toBe("44px");
  expect(measured(0, 0)).toBe("44px");

  width.mockReturnValue(150);
  height.mockReturnValue(9000);
  rerender(<Field text="a long text" />);
  expect(field.style.height).toBe("240px");
});
