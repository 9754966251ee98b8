/** The window of a visitor: what is left to tell two people with the same browser apart. */
import type { Viewport } from '../../../model/request.ts';

/** A window on a screen. */
export interface VisitorWindow {
  readonly screen: Viewport;
  /** The part of the window that shows the page. */
  readonly viewport: Viewport;
}

/** Draws a window as wide as its screen, as most people have it. `random` is for tests. */
export function drawWindow(random: () => number = Math.random): VisitorWindow {
  const screen = screens[Math.floor(random() * screens.length)] ?? screens[0];
  return {
    screen,
    viewport: { width: screen.width - frame.width, height: screen.height - frame.height },
  };
}

/** The common ones, the first one twice as it is the most common. */
const screens = [
  { width: 1920, height: 1080 },
  { width: 1920, height: 1080 },
  { width: 1536, height: 864 },
  { width: 1366, height: 768 },
  { width: 1440, height: 900 },
] as const;

/** What Chromium's window has around the page, and a task bar of 40 px. */
const frame = { width: 8, height: 85 + 40 } as const;
