const BLOCK = /-----BEGIN ([^\r\n-]+)-----/g;
const PUBLIC =
  /^(X509 |TRUSTED )?CERTIFICATE( REQUEST)?$|^(NEW CERTIFICATE REQUEST|(RSA |EC )?PUBLIC KEY|X509 CRL|PKCS7|DH PARAMETERS)$/;

/** Whether the content is PEM text with certificates or other public data, and nowhere speaks of a private key. */
export function isCertificate(content: Buffer): boolean {
  const text = content.toString("latin1");
  if (text.includes("\0") || /private/i.test(text)) return false;
  const labels = Array.from(text.matchAll(BLOCK), ([, label]) => label!);
  return labels.length > 0 && labels.every((label) => PUBLIC.test(label));
}
