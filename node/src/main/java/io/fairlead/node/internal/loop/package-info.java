/** Progress threads: their duty cycle, what is handed to them, and what they deliver. */
@NullMarked
package io.fairlead.node.internal.loop;

import org.jspecify.annotations.NullMarked;
