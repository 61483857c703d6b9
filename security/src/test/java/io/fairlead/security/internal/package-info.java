@NullMarked
package io.fairlead.security.internal;

import org.jspecify.annotations.NullMarked;
