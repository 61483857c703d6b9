/** The sources of configured values: the file, the environment, and the known keys. */
@NullMarked
package io.fairlead.internal.config;

import org.jspecify.annotations.NullMarked;
