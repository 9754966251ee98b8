/** Encrypts secrets for a store: AES-256-GCM with a key derived from the client's secret. */
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';

/** Encrypts texts, and decrypts texts of a vault with the same secret. */
export interface Vault {
  /** `about` names the context of the text: it cannot be decrypted in another one. */
  seal(text: string, about: string): string;
  /** Undefined for a text of another secret or context, or a changed one. */
  open(sealed: string, about: string): string | undefined;
}

/** Returns the vault of a client; its key is derived at the first call. */
export type OpenVault = () => Promise<Vault>;

/** The format: `1`, then nonce, tag and ciphertext in base64. */
const sealedForm = '1';
const nonceBytes = 12;
const tagBytes = 16;

const derive = promisify<string, string, number, Buffer>(scrypt);

/**
 * The vault of a secret: every process with the secret derives the same key, which takes another
 * thread 50 ms or more.
 */
export function vaultOf(secret: string): OpenVault {
  let opened: Promise<Vault> | undefined;
  return () => (opened ??= open(secret));
}

async function open(secret: string): Promise<Vault> {
  const key = await derive(secret, 'pagewright vault', 32);
  return {
    seal(text, about) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(about));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return sealedForm + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
    },
    open(sealed, about) {
      const bytes = Buffer.from(sealed.slice(sealedForm.length), 'base64');
      if (!sealed.startsWith(sealedForm) || bytes.length < nonceBytes + tagBytes) return undefined;
      const nonce = bytes.subarray(0, nonceBytes);
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
        decipher.setAAD(Buffer.from(about));
        decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
        const rest = bytes.subarray(nonceBytes + tagBytes);
        return Buffer.concat([decipher.update(rest), decipher.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}
