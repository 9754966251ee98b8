/** What client hints say of the machine; brands and versions stay those of the browser. */

/** The part of CDP's `UserAgentMetadata` that has no default. */
export interface ClientHints {
  readonly platform: string;
  readonly platformVersion: string;
  readonly architecture: string;
  readonly model: string;
  readonly mobile: boolean;
}

/** The hints that fit a User-Agent, which tells less: all Android phones are `Android 10; K` there. */
export function clientHintsFor(userAgent: string): ClientHints {
  if (/Android/.test(userAgent)) {
    return {
      platform: 'Android',
      platformVersion: '14.0.0',
      architecture: '',
      model: 'Pixel 7',
      mobile: /Mobile/.test(userAgent),
    };
  }
  const system = systems.find(({ pattern }) => pattern.test(userAgent)) ?? linux;
  return { ...system.hints, architecture: architecture(), model: '', mobile: false };
}

function architecture(): string {
  return process.arch.startsWith('arm') ? 'arm' : 'x86';
}

const linux = { pattern: /Linux/, hints: { platform: 'Linux', platformVersion: '' } };

const systems = [
  { pattern: /Windows/, hints: { platform: 'Windows', platformVersion: '15.0.0' } },
  { pattern: /Mac OS X/, hints: { platform: 'macOS', platformVersion: '15.0.0' } },
  linux,
] as const;
