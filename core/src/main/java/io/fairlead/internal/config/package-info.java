/** Where configured values come from: the file, the environment, and the keys that are known. */
@NullMarked
package io.fairlead.internal.config;

import org.jspecify.annotations.NullMarked;
