/** Configuration keys: name, type, default and range of each. */
@NullMarked
package io.fairlead.config;

import org.jspecify.annotations.NullMarked;
