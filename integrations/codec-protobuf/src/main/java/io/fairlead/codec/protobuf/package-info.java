/** Protobuf messages for typed services. */
@NullMarked
package io.fairlead.codec.protobuf;

import org.jspecify.annotations.NullMarked;
