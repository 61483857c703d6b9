/** Reads keys, certificates, trust, revocations and secrets from files. */
@NullMarked
package io.fairlead.security.internal.files;

import org.jspecify.annotations.NullMarked;
