/** JSON for typed services, by Jackson. */
@NullMarked
package io.fairlead.codec.jackson;

import org.jspecify.annotations.NullMarked;
