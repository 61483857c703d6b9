/** Whether the hosts of idle peers are alive, as reported by the kernel. */
@NullMarked
package io.fairlead.internal.liveness;

import org.jspecify.annotations.NullMarked;
