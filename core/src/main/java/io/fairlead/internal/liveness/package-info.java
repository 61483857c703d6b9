/** Whether the hosts of silent peers are still there, as the kernel tells it. */
@NullMarked
package io.fairlead.internal.liveness;

import org.jspecify.annotations.NullMarked;
